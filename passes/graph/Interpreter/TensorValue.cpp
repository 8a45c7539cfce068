//===- TensorValue.cpp - A tensor's type and bytes ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Interpreter/TensorValue.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mkc;

int64_t mkc::elementBytes(Type element) {
  if (element.isIndex())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// A product of sizes of 0 or more that stays at the largest integer.
static int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::numeric_limits<int64_t>::max()
                                          : product;
}

int64_t mkc::countElements(ArrayRef<int64_t> shape) {
  // A 0 anywhere wins over sizes that don't fit.
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    count = multiply(count, size);
  return count;
}

int64_t mkc::tensorBytes(RankedTensorType type) {
  return multiply(countElements(type.getShape()),
                  elementBytes(type.getElementType()));
}

SmallVector<int64_t> mkc::rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

TensorValue::TensorValue(RankedTensorType type)
    : type(type),
      bytes(std::make_shared<std::vector<char>>(tensorBytes(type))) {}

template <typename T>
static void copyFrom(DenseElementsAttr elements, TensorValue &value) {
  T *to = value.data<T>();
  for (T element : elements.getValues<T>())
    *to++ = element;
}

TensorValue TensorValue::fromElements(DenseElementsAttr elements) {
  TensorValue value(cast<RankedTensorType>(elements.getType()));
  Type element = elements.getElementType();
  if (element.isF32())
    copyFrom<float>(elements, value);
  else if (element.isF64())
    copyFrom<double>(elements, value);
  else if (element.isInteger(1))
    copyFrom<bool>(elements, value);
  else if (element.isInteger(32))
    copyFrom<int32_t>(elements, value);
  else
    copyFrom<int64_t>(elements, value);
  return value;
}

template <typename T> static DenseElementsAttr toDense(const TensorValue &v) {
  return DenseElementsAttr::get(v.getType(),
                                ArrayRef<T>(v.data<T>(), v.getNumElements()));
}

DenseElementsAttr TensorValue::toElements() const {
  Type element = getElementType();
  if (element.isF32())
    return toDense<float>(*this);
  if (element.isF64())
    return toDense<double>(*this);
  if (element.isInteger(1))
    return toDense<bool>(*this);
  if (element.isInteger(32))
    return toDense<int32_t>(*this);
  return toDense<int64_t>(*this);
}

TensorValue TensorValue::reshaped(RankedTensorType newType) const {
  TensorValue value = *this;
  value.type = newType;
  return value;
}
