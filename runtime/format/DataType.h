//===- DataType.h - Element types by their ONNX number --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mkrt::format {

/// ONNX TensorProto.DataType numbers.
using DataType = int32_t;

namespace types {
inline constexpr DataType Float = 1, UInt8 = 2, Int8 = 3, UInt16 = 4, Int16 = 5,
                          Int32 = 6, Int64 = 7, String = 8, Bool = 9,
                          Float16 = 10, Double = 11, UInt32 = 12, UInt64 = 13,
                          Complex64 = 14, Complex128 = 15, BFloat16 = 16,
                          Float8E4M3FN = 17, Float8E4M3FNUZ = 18,
                          Float8E5M2 = 19, Float8E5M2FNUZ = 20, UInt4 = 21,
                          Int4 = 22, Float4E2M1 = 23, Float8E8M0 = 24,
                          UInt2 = 25, Int2 = 26;
} // namespace types

/// Bits of one element; 0 for strings and for numbers that name no type.
unsigned elementBits(DataType type);

/// "float32", "bfloat16", ...; "type N" has no name, so "unknown".
std::string_view typeName(DataType type);

/// Number of elements; nullopt if a dim is negative or the product overflows.
std::optional<uint64_t> elementCount(std::span<const int64_t> shape);

/// Bytes of a dense tensor (elements below a byte are packed); nullopt for a
/// type without a size, a negative dim or an overflow.
std::optional<uint64_t> tensorBytes(DataType type,
                                    std::span<const int64_t> shape);

} // namespace mkrt::format
