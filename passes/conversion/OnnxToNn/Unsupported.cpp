//===- Unsupported.cpp - What a model has and the conversion lacks --------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/Unsupported.h"
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/OnnxToNn/OnnxToNn.h"
#include "passes/conversion/OnnxToNn/OpTable.h"
#include "passes/conversion/OnnxToNn/WeightValue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mkc;

std::string mkc::nodeName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  return "";
}

/// The element type of a level-1 type, or null for values of unknown type and
/// omitted ones.
static Type elementOfValue(Type type) {
  if (auto tensor = dyn_cast<ShapedType>(type))
    return tensor.getElementType();
  return isa<onnx::UnknownType, onnx::NoneType>(type) ? Type() : type;
}

/// The types of a node's attributes that become values: tensors, and the target
/// of Cast.
static Type elementOfAttribute(onnx::NodeOp node, NamedAttribute attribute) {
  if (attribute.getName() == "to" && node.getOpType() == "Cast")
    if (auto number = dyn_cast<IntegerAttr>(attribute.getValue()))
      return elementTypeOfOnnx(number.getInt(), node.getContext());
  return tensorElementType(attribute.getValue());
}

Unsupported mkc::describeNode(onnx::NodeOp node) {
  return {node.getDomain().str(), node.getOpType().str(),
          int64_t(node.getOpset()), "", nodeName(node.getLoc())};
}

void mkc::forEachUnsupported(onnx::NodeOp node,
                             llvm::function_ref<void(Unsupported)> report) {
  Unsupported entry = describeNode(node);
  const OpEntry *op =
      findOp(node.getDomain(), node.getOpType(), node.getOpset());
  if (!op)
    report(entry);
  llvm::SmallSetVector<Type, 4> types;
  for (Value operand : node.getInputs())
    types.insert(elementOfValue(operand.getType()));
  for (NamedAttribute attribute : node.getNodeAttributes())
    types.insert(elementOfAttribute(node, attribute));
  for (Type type : types) {
    if (!type || elementTypeBit(type) != ElementTypes::None)
      continue;
    entry.type = onnxTypeName(type);
    report(entry);
  }
  if (!op || node.getInputs().size() <= op->typedInput)
    return;
  // The operator's own restriction; types that level 2 lacks are reported
  // above.
  Type typed = elementOfValue(node.getInputs()[op->typedInput].getType());
  if (typed && elementTypeBit(typed) != ElementTypes::None &&
      !contains(op->types, elementTypeBit(typed))) {
    entry.type = onnxTypeName(typed);
    report(entry);
  }
}

static void forEachNode(ModuleOp module,
                        llvm::function_ref<void(onnx::NodeOp)> fn) {
  for (auto func : module.getOps<func::FuncOp>())
    if (!func->hasAttr("onnx.function"))
      func.walk([&](onnx::NodeOp node) { fn(node); });
}

std::vector<Unsupported> mkc::collectUnsupported(ModuleOp module) {
  std::vector<Unsupported> list;
  forEachNode(module, [&](onnx::NodeOp node) {
    forEachUnsupported(
        node, [&](Unsupported entry) { list.push_back(std::move(entry)); });
  });
  return list;
}

LogicalResult mkc::reportUnsupported(ModuleOp module) {
  bool found = false;
  forEachNode(module, [&](onnx::NodeOp node) {
    forEachUnsupported(node, [&](const Unsupported &entry) {
      found = true;
      auto error = mlir::emitError(node.getLoc()) << entry.opType;
      if (!entry.domain.empty())
        error << " of domain " << entry.domain;
      if (entry.type.empty())
        error << " at opset " << entry.opset << " is not supported";
      else
        error << ": element type " << entry.type << " is not supported";
    });
  });
  return failure(found);
}
