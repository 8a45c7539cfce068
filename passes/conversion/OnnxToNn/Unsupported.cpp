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

/// The element type of a node's output, as far as its operator and the types of
/// its inputs tell; else null. Of further outputs only Split's are known.
static Type elementOfResult(onnx::NodeOp node, unsigned output,
                            const OpEntry *op, ElementMap &elements) {
  Builder builder(node.getContext());
  StringRef type = node.getOpType();
  auto input = [&](unsigned i) {
    return i < node.getInputs().size() ? elements.lookup(node.getInputs()[i])
                                       : Type();
  };
  if (!op || (output != 0 && type != "Split"))
    return {};
  if (type == "Cast")
    if (auto to =
            dyn_cast_or_null<IntegerAttr>(node.getNodeAttributes().get("to")))
      return elementTypeOfOnnx(to.getInt(), node.getContext());
  if (type == "CastLike")
    return input(1);
  if (type == "ArgMax" || type == "ArgMin" || type == "Shape" || type == "Size")
    return builder.getI64Type();
  if (op->family == OpFamily::Constant && type != "Range") {
    for (NamedAttribute attribute : node.getNodeAttributes())
      if (Type element = tensorElementType(attribute.getValue()))
        return element;
    return {};
  }
  if (op->family == OpFamily::Logic && type != "Where" && type != "Cast")
    return builder.getI1Type();
  return input(op->typedInput);
}

ElementMap mkc::inferElements(func::FuncOp func) {
  ElementMap elements;
  for (Block &block : func.getBody())
    for (BlockArgument argument : block.getArguments())
      elements[argument] = elementOfValue(argument.getType());
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto node = dyn_cast<onnx::NodeOp>(op);
    const OpEntry *entry =
        node ? findOp(node.getDomain(), node.getOpType(), node.getOpset())
             : nullptr;
    for (OpResult result : op->getResults()) {
      Type declared = elementOfValue(result.getType());
      elements[result] = declared || !node
                             ? declared
                             : elementOfResult(node, result.getResultNumber(),
                                               entry, elements);
    }
  });
  return elements;
}

Unsupported mkc::describeNode(onnx::NodeOp node) {
  return {node.getDomain().str(), node.getOpType().str(),
          int64_t(node.getOpset()), "", nodeName(node.getLoc())};
}

void mkc::forEachUnsupported(onnx::NodeOp node, const ElementMap &elements,
                             llvm::function_ref<void(Unsupported)> report) {
  Unsupported entry = describeNode(node);
  const OpEntry *op =
      findOp(node.getDomain(), node.getOpType(), node.getOpset());
  if (!op)
    report(entry);
  llvm::SmallSetVector<Type, 4> types;
  for (Value operand : node.getInputs())
    types.insert(elements.lookup(operand));
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
  Type typed = elements.lookup(node.getInputs()[op->typedInput]);
  if (typed && elementTypeBit(typed) != ElementTypes::None &&
      !contains(op->types, elementTypeBit(typed))) {
    entry.type = onnxTypeName(typed);
    report(entry);
  }
}

static void
forEachNode(ModuleOp module,
            llvm::function_ref<void(onnx::NodeOp, const ElementMap &)> fn) {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func->hasAttr("onnx.function"))
      continue;
    ElementMap elements = inferElements(func);
    func.walk([&](onnx::NodeOp node) { fn(node, elements); });
  }
}

std::vector<Unsupported> mkc::collectUnsupported(ModuleOp module) {
  std::vector<Unsupported> list;
  forEachNode(module, [&](onnx::NodeOp node, const ElementMap &elements) {
    forEachUnsupported(node, elements, [&](Unsupported entry) {
      list.push_back(std::move(entry));
    });
  });
  return list;
}

LogicalResult mkc::reportUnsupported(ModuleOp module) {
  bool found = false;
  forEachNode(module, [&](onnx::NodeOp node, const ElementMap &elements) {
    forEachUnsupported(node, elements, [&](const Unsupported &entry) {
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
