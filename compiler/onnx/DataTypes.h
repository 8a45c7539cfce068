//===- DataTypes.h - ONNX element types and their MLIR types ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Types.h"

#include <cstdint>

namespace mkc::onnx {

/// TensorProto.DataType, up to the newest release.
enum class DataType : int64_t {
  Undefined = 0,
  Float = 1,
  Uint8 = 2,
  Int8 = 3,
  Uint16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  Uint32 = 12,
  Uint64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  Bfloat16 = 16,
  Float8e4m3fn = 17,
  Float8e4m3fnuz = 18,
  Float8e5m2 = 19,
  Float8e5m2fnuz = 20,
  Uint4 = 21,
  Int4 = 22,
  Float4e2m1 = 23,
  Float8e8m0 = 24,
  Uint2 = 25,
  Int2 = 26,
  Float6e2m3 = 27,
  Float6e3m2 = 28,
};

/// The type of an element. Signed integers are signless in IR. A number that
/// this version does not know becomes `!onnx.elem<number>`.
mlir::Type elementType(mlir::MLIRContext *context, int64_t dataType);

/// Bits of an element in a file, where elements narrower than a byte are
/// packed; 0 for strings and unknown types.
unsigned storedBits(int64_t dataType);

} // namespace mkc::onnx
