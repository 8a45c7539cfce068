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

/// Zeros but for the listed elements.
static FailureOr<DenseElementsAttr> makeDense(Location loc,
                                              SparseElementsAttr sparse) {
  auto type = RankedTensorType::get(sparse.getType().getShape(),
                                    sparse.getType().getElementType());
  constexpr int64_t kMostBytes = int64_t(1) << 32;
  if (tensorBytes(type) > kMostBytes)
    return mlir::emitError(loc)
           << "a sparse tensor of type " << type << " has more than "
           << kMostBytes << " bytes as a dense one";
  TensorValue dense(type);
  TensorValue values = TensorValue::fromElements(sparse.getValues());
  int64_t size = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  SmallVector<int64_t> strides = rowMajorStrides(type.getShape());
  auto coordinates = sparse.getIndices().getValues<int64_t>().begin();
  for (int64_t i = 0; i < values.getNumElements(); ++i) {
    int64_t at = 0;
    for (int64_t stride : strides)
      at += *coordinates++ * stride;
    std::copy_n(values.raw() + i * size, size, dense.raw() + at * size);
  }
  return dense.toElements();
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
  if (auto sparse = dyn_cast<SparseElementsAttr>(value)) {
    FailureOr<DenseElementsAttr> dense = makeDense(builder.getLoc(), sparse);
    return failed(dense) ? FailureOr<Value>() : builder.constant(*dense);
  }
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
