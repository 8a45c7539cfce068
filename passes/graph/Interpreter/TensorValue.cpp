//===- TensorValue.cpp - A tensor's type and bytes ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Interpreter/TensorValue.h"

#include "llvm/ADT/STLExtras.h"
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

TensorValue TensorValue::fromElements(DenseElementsAttr elements) {
  TensorValue value(cast<RankedTensorType>(elements.getType()));
  if (elements.getElementType().isInteger(1)) {
    llvm::copy(elements.getValues<bool>(), value.data<bool>());
    return value;
  }
  // A splat has the bytes of one element.
  ArrayRef<char> raw = elements.getRawData();
  for (int64_t at = 0; at < value.getNumBytes(); at += raw.size())
    llvm::copy(raw, value.raw() + at);
  return value;
}

DenseElementsAttr TensorValue::toElements() const {
  if (getElementType().isInteger(1))
    return DenseElementsAttr::get(type,
                                  ArrayRef(data<bool>(), getNumElements()));
  return DenseElementsAttr::getFromRawBuffer(type,
                                             ArrayRef(raw(), getNumBytes()));
}

template <typename Half> static TensorValue widen(const TensorValue &value) {
  TensorValue wide(RankedTensorType::get(
      value.getShape(), Float32Type::get(value.getType().getContext())));
  std::copy_n(value.data<Half>(), value.getNumElements(), wide.data<float>());
  return wide;
}

TensorValue TensorValue::widened() const {
  if (getElementType().isF16())
    return widen<F16>(*this);
  if (getElementType().isBF16())
    return widen<BF16>(*this);
  return *this;
}

TensorValue TensorValue::reshaped(RankedTensorType newType) const {
  TensorValue value = *this;
  value.type = newType;
  return value;
}
