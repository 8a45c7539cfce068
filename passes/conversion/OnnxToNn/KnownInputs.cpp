//===- KnownInputs.cpp - Inputs whose values decide shapes ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/onnx/Onnx.h"
#include "passes/conversion/OnnxToNn/OnnxToNn.h"
#include "passes/conversion/OnnxToNn/OpTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mkc;

/// Values that must be known: the operands that the table says, and all that
/// these are computed from. Shape and Size give constants whatever their
/// operand holds.
static llvm::SetVector<Value> knownValues(func::FuncOp func) {
  llvm::SetVector<Value> known;
  func.walk([&](onnx::NodeOp node) {
    const OpEntry *op =
        findOp(node.getDomain(), node.getOpType(), node.getOpset());
    for (auto [i, operand] : llvm::enumerate(node.getInputs()))
      if (op && i < 32 && (op->knownInputs >> i & 1))
        known.insert(operand);
  });
  for (size_t i = 0; i < known.size(); ++i) {
    auto node = known[i].getDefiningOp<onnx::NodeOp>();
    if (node && node.getOpType() != "Shape" && node.getOpType() != "Size")
      known.insert_range(node.getInputs());
  }
  return known;
}

std::vector<std::string> mkc::inputsThatShapesNeed(ModuleOp module) {
  std::vector<std::string> names;
  auto func = module.lookupSymbol<func::FuncOp>("main");
  if (!func || func.isExternal())
    return names;
  for (Value value : knownValues(func)) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &func.front())
      continue;
    if (func.getArgAttr(argument.getArgNumber(), "onnx.value"))
      continue;
    if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      "onnx.name"))
      names.push_back(name.str());
  }
  return names;
}
