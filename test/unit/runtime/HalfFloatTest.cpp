//===- HalfFloatTest.cpp - Conversions of f16 and bf16 --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/HalfFloat.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mkrt::format;

namespace {
struct Format {
  int mantissaBits, exponentBits;
  float (*widen)(uint16_t);
  uint16_t (*round)(float);

  uint16_t infinity() const {
    return uint16_t(((1 << exponentBits) - 1) << mantissaBits);
  }
  /// By the definition of IEEE 754's interchange formats.
  double valueOf(uint16_t bits) const {
    int bias = (1 << (exponentBits - 1)) - 1;
    int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
    int mantissa = bits & ((1 << mantissaBits) - 1);
    double magnitude = exponent ? std::ldexp(mantissa + (1 << mantissaBits),
                                             exponent - bias - mantissaBits)
                                : std::ldexp(mantissa, 1 - bias - mantissaBits);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
};
constexpr Format kFormats[] = {{10, 5, halfToFloat, floatToHalf},
                               {7, 8, bfloat16ToFloat, floatToBfloat16}};
} // namespace

TEST(HalfFloat, EveryValueIsExactInF32) {
  for (const Format &format : kFormats)
    for (unsigned bits = 0; bits < 65536; ++bits) {
      float value = format.widen(uint16_t(bits));
      unsigned magnitude = bits & 0x7fff;
      if (magnitude > format.infinity()) {
        ASSERT_TRUE(std::isnan(value));
        ASSERT_TRUE(std::isnan(format.widen(format.round(value))));
        continue;
      }
      if (magnitude == format.infinity())
        ASSERT_TRUE(std::isinf(value));
      else
        ASSERT_EQ(value, format.valueOf(uint16_t(bits))) << bits;
      ASSERT_EQ(format.round(value), bits);
      ASSERT_EQ(std::signbit(value), bits >= 0x8000);
    }
}

TEST(HalfFloat, RoundsToTheNearestTiesToEven) {
  for (const Format &format : kFormats)
    for (unsigned bits = 0; bits < format.infinity(); ++bits) {
      double low = format.valueOf(uint16_t(bits));
      double high = format.valueOf(uint16_t(bits + 1)); // 2^n for the last
      auto middle = float((low + high) / 2);
      unsigned even = bits % 2 ? bits + 1 : bits;
      constexpr float infinity = std::numeric_limits<float>::infinity();
      ASSERT_EQ(format.round(middle), even) << bits;
      ASSERT_EQ(format.round(-middle), even | 0x8000) << bits;
      ASSERT_EQ(format.round(std::nextafter(middle, 0.0f)), bits);
      ASSERT_EQ(format.round(std::nextafter(middle, infinity)), bits + 1);
    }
}

TEST(HalfFloat, OverflowsToInfinity) {
  EXPECT_EQ(floatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(-1e30f), 0xfc00);
  EXPECT_EQ(floatToBfloat16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(floatToHalf(0x1p-25f), 0);
  EXPECT_EQ(floatToHalf(0x1.8p-24f), 2);
}
