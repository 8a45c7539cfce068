//===- WeightValue.cpp - Tensors of the model's file as values ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/WeightValue.h"
#include "dialects/mk/Mk.h"
#include "passes/conversion/OnnxToNn/OpTable.h"
#include "passes/graph/Interpreter/WeightFile.h"

using namespace mlir;
using namespace mkc;

Type mkc::tensorElementType(Attribute value) {
  if (auto typed = dyn_cast_or_null<TypedAttr>(value))
    if (auto tensor = dyn_cast<ShapedType>(typed.getType()))
      return tensor.getElementType();
  return {};
}

FailureOr<Value> mkc::emitTensor(NnBuilder &builder, Attribute value) {
  Type element = tensorElementType(value);
  if (!element)
    return mlir::emitError(builder.getLoc())
           << "expected a tensor, but got " << value;
  if (elementTypeBit(element) == ElementTypes::None)
    return mlir::emitError(builder.getLoc())
           << "element type " << onnxTypeName(element) << " is not supported";
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    return builder.constant(elements);
  auto weight = dyn_cast<mk::WeightAttr>(value);
  if (!weight)
    return mlir::emitError(builder.getLoc())
           << "expected a dense tensor or a weight, but got " << value;
  auto type = dyn_cast<RankedTensorType>(weight.getType());
  if (!type || tensorBytes(type) > kInlineConstantBytes)
    return mk::WeightOp::create(builder.builder, builder.getLoc(), weight)
        .getResult();
  std::string error;
  FailureOr<TensorValue> bytes = readWeight(weight, error);
  if (failed(bytes))
    return mlir::emitError(builder.getLoc()) << error;
  return builder.constant(bytes->toElements());
}
