//===- HalfFloat.h - f16 and bf16 as bits ---------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions as generated code does them too: every value of 16 bits is exact
// in f32; the other way rounds to the nearest, ties to even, beyond the largest
// value to infinity, keeps denormals, and gives a quiet NaN for a NaN.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>

namespace mkrt::format {

inline float bfloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

inline uint16_t floatToBfloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (value != value)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  // The exponent is 112 too small, which a product corrects for denormals too.
  uint32_t scaled =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  constexpr uint32_t infinity = 0x7c00 << 13;
  return std::bit_cast<float>(
      sign | (magnitude < infinity ? scaled : magnitude | 0x7f800000));
}

inline uint16_t floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
  if (magnitude >= 0x477ff000) // 65520, halfway to the next power of two.
    return sign | 0x7c00;
  if (magnitude < 0x38800000) // Denormal: steps of 2^-24, as in [0.5, 1).
    return sign | uint16_t(std::bit_cast<uint32_t>(
                               std::bit_cast<float>(magnitude) + 0.5f) -
                           std::bit_cast<uint32_t>(0.5f));
  magnitude += 0xfff + (magnitude >> 13 & 1);
  return sign | uint16_t((magnitude - (112u << 23)) >> 13);
}

} // namespace mkrt::format
