//===- DataType.cpp - Element types by their ONNX number ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/DataType.h"

#include <iterator>

using namespace mkrt::format;

namespace {
struct TypeRow {
  std::string_view name;
  unsigned bits;
};
} // namespace

/// Indexed by the ONNX number.
static constexpr TypeRow kTypes[] = {
    {"unknown", 0},
    {"float32", 32},
    {"uint8", 8},
    {"int8", 8},
    {"uint16", 16},
    {"int16", 16},
    {"int32", 32},
    {"int64", 64},
    {"string", 0},
    {"bool", 8},
    {"float16", 16},
    {"float64", 64},
    {"uint32", 32},
    {"uint64", 64},
    {"complex64", 64},
    {"complex128", 128},
    {"bfloat16", 16},
    {"float8_e4m3fn", 8},
    {"float8_e4m3fnuz", 8},
    {"float8_e5m2", 8},
    {"float8_e5m2fnuz", 8},
    {"uint4", 4},
    {"int4", 4},
    {"float4_e2m1", 4},
    {"float8_e8m0", 8},
    {"uint2", 2},
    {"int2", 2},
};

static const TypeRow &row(DataType type) {
  bool known = type > 0 && size_t(type) < std::size(kTypes);
  return kTypes[known ? type : 0];
}

unsigned mkrt::format::elementBits(DataType type) { return row(type).bits; }

std::string_view mkrt::format::typeName(DataType type) {
  return row(type).name;
}

std::optional<uint64_t>
mkrt::format::elementCount(std::span<const int64_t> shape) {
  uint64_t count = 1;
  bool overflow = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return std::nullopt;
    if (dim == 0)
      return 0;
    overflow |= __builtin_mul_overflow(count, uint64_t(dim), &count);
  }
  if (overflow)
    return std::nullopt;
  return count;
}

std::optional<uint64_t>
mkrt::format::tensorBytes(DataType type, std::span<const int64_t> shape) {
  std::optional<uint64_t> count = elementCount(shape);
  uint64_t bits = elementBits(type);
  if (!count || !bits || __builtin_mul_overflow(*count, bits, &bits) ||
      bits > UINT64_MAX - 7)
    return std::nullopt;
  return (bits + 7) / 8;
}
