//===- TensorValue.h - A tensor's type and bytes --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/HalfFloat.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>
#include <vector>

namespace mkc {

/// An element of f16 or bf16: the bits, which convert like numbers.
template <float (*extend)(uint16_t), uint16_t (*round)(float)> struct HalfBits {
  HalfBits() = default;
  explicit HalfBits(float value) : bits(round(value)) {}
  operator float() const { return extend(bits); }

  uint16_t bits = 0;
};
using F16 = HalfBits<mkrt::format::halfToFloat, mkrt::format::floatToHalf>;
using BF16 =
    HalfBits<mkrt::format::bfloat16ToFloat, mkrt::format::floatToBfloat16>;

/// Bytes that one element takes in memory: bool is a byte.
int64_t elementBytes(mlir::Type element);

/// The product of sizes, or the largest integer if it doesn't fit.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// Bytes of a tensor of static shape, or the largest integer if they don't fit.
int64_t tensorBytes(mlir::RankedTensorType type);

/// Row-major strides of `shape`, in elements.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// A tensor of static shape with its elements: row-major, in the host's byte
/// order. A scalar is a tensor of rank 0. Copies share the bytes.
class TensorValue {
public:
  TensorValue() = default;
  /// Zeros of `type`.
  explicit TensorValue(mlir::RankedTensorType type);

  static TensorValue fromElements(mlir::DenseElementsAttr elements);
  mlir::DenseElementsAttr toElements() const;

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getNumElements() const { return type.getNumElements(); }
  int64_t getNumBytes() const { return bytes->size(); }
  explicit operator bool() const { return bytes != nullptr; }

  char *raw() { return bytes->data(); }
  const char *raw() const { return bytes->data(); }
  template <typename T> T *data() { return reinterpret_cast<T *>(raw()); }
  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(raw());
  }

  /// The elements in the type that they are computed in: f16 and bf16 as f32.
  TensorValue widened() const;

  /// The same bytes as another shape.
  TensorValue reshaped(mlir::RankedTensorType newType) const;

private:
  mlir::RankedTensorType type;
  std::shared_ptr<std::vector<char>> bytes;
};

} // namespace mkc
