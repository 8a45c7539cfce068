//===- DeviceMathTest.cpp - Division and square root of the device --------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of codegen/cuda/device/mk_math.cuh, run on the CPU and compared with
// its correctly rounded operators bit by bit.
//
//===----------------------------------------------------------------------===//

#include "mk_integer.cuh"
#include "mk_math.cuh"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

/// Equal bits, or both NaN.
static bool same(float a, float b) {
  return mk_bits<u32>(a) == mk_bits<u32>(b) || (std::isnan(a) && std::isnan(b));
}

static std::vector<float> specialValues() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values = {0.f,
                               1.f,
                               3.f,
                               0x1p60f,
                               0x1p-60f,
                               0x1.fffffep60f,
                               0x1p61f,
                               0x1.fffffep-61f,
                               Limits::min(),
                               Limits::max(),
                               Limits::denorm_min(),
                               0x0.fffffep-126f,
                               0x0.8p-126f,
                               0x1p126f,
                               0x1p127f,
                               Limits::infinity(),
                               Limits::quiet_NaN()};
  for (size_t i = 0, n = values.size(); i < n; ++i)
    values.push_back(-values[i]);
  return values;
}

class DeviceMath : public testing::TestWithParam<int> {
protected:
  void SetUp() override { approximationError = GetParam(); }
  void TearDown() override { approximationError = 0; }

  void expectDivision(float a, float b) {
    ASSERT_TRUE(same(mk_div(a, b), a / b))
        << std::hexfloat << a << " / " << b << " gives " << mk_div(a, b)
        << ", expected " << a / b;
  }
  void expectRoot(float x) {
    ASSERT_TRUE(same(mk_sqrt(x), std::sqrt(x)))
        << std::hexfloat << "sqrt(" << x << ") gives " << mk_sqrt(x)
        << ", expected " << std::sqrt(x);
  }
};

// Tests all pairs of zeros, denormals, limits, infinities and NaNs, and both
// sides of where the rare branch begins.
TEST_P(DeviceMath, SpecialOperands) {
  for (float a : specialValues()) {
    expectRoot(a);
    for (float b : specialValues())
      expectDivision(a, b);
  }
}

// Tests random bits: every exponent, so also denormal and overflowing results.
TEST_P(DeviceMath, RandomBits) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000000; ++i) {
    expectDivision(mk_bits<float>(u32(random())),
                   mk_bits<float>(u32(random())));
    expectRoot(mk_bits<float>(u32(random()) & 0x7fffffffu));
  }
}

// Tests quotients that are denormal or nearly: where rounding twice would show.
TEST_P(DeviceMath, DenormalQuotients) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000000; ++i) {
    float a = mk_bits<float>((u32(random()) & 0x7fffffu) | 30u << 23);
    u32 exponent = 150 + random() % 30;
    expectDivision(
        a, mk_bits<float>((u32(random()) & 0x7fffffu) | exponent << 23));
    // A representable denormal times a small number: exact, or a tie.
    u32 small = random() % 4096 + 1;
    float tie = float(random() % 1024 + 1) * 0x1p-140f;
    expectDivision(tie, float(small) * 0x1p3f);
  }
}

/// 2^-power mod b, for odd b.
static u32 inversePower(u32 power, u32 b) {
  u64 x = 1;
  for (u32 i = 0; i < power; ++i)
    x = (x + (x & 1) * b) / 2;
  return u32(x % b);
}

/// The quotients by odd b that are nearest to the middle between two floats:
/// a 2^power - m b = +-distance for an odd m. With a power of 25 they are below
/// 1, with 24 and a >= b above.
template <class Check>
static void forHardQuotients(u32 b, u32 distance, Check check) {
  for (u32 power : {24u, 25u}) {
    u32 a = u32(u64(inversePower(power, b)) * distance % b);
    for (u32 dividend : {a, b - a, a + b, 2 * b - a})
      if (dividend < 1u << 24)
        check(float(dividend), float(b));
  }
}

// Tests the hardest quotients of every odd divisor of 24 bits (of every 16th
// for small errors of the reciprocal).
TEST_P(DeviceMath, HardestQuotients) {
  u32 step = std::abs(GetParam()) == 2 ? 2 : 32;
  for (u32 b = (1u << 23) + 1; b < 1u << 24; b += step)
    forHardQuotients(b, 1, [&](float x, float y) { expectDivision(x, y); });
}

// Tests divisors whose reciprocals are near to the middle, and more quotients
// of each.
TEST_P(DeviceMath, HardDivisors) {
  for (u32 b = (1u << 24) - 8191; b < 1u << 24; b += 2)
    for (u32 distance = 1; distance < 64; ++distance)
      forHardQuotients(b, distance,
                       [&](float x, float y) { expectDivision(x, y); });
}

// Tests the roots of all significands of two neighbouring exponents, scaled or
// not: with the exponents' parity they decide the rounding.
TEST_P(DeviceMath, RootsOfAllSignificands) {
  for (u32 exponent : {10u, 127u, 128u})
    for (u32 significand = 0; significand < 1u << 23; significand += 1)
      expectRoot(mk_bits<float>(significand | exponent << 23));
}

template <class T> static T expectedQuotient(T n, T d) {
  using U = std::make_unsigned_t<T>;
  return d == 0                              ? T(0)
         : d == T(-1) && std::is_signed_v<T> ? T(U(0) - U(n))
                                             : T(n / d);
}

template <class T> static void checkIntegers(T n, T d) {
  using U = std::make_unsigned_t<T>;
  T quotient = expectedQuotient(n, d);
  T remainder = d ? T(U(n) - U(quotient) * U(d)) : T(0);
  ASSERT_EQ(mk_div(n, d), quotient) << n << " / " << d;
  ASSERT_EQ(mk_rem(n, d), remainder) << n << " % " << d;
}

// Tests numbers of every size in both places, near powers of two, and around
// exact multiples, where a quotient that is off by one shows.
TEST_P(DeviceMath, Integers) {
  std::mt19937_64 random(4);
  std::vector<u64> values = {0, 1, 2, 3, ~u64(0)};
  for (u32 bit = 1; bit < 64; ++bit)
    for (int offset : {-1, 0, 1})
      values.push_back((u64(1) << bit) + u64(i64(offset)));
  auto check = [](u64 n, u64 d) {
    checkIntegers<u64>(n, d);
    checkIntegers<i64>(i64(n), i64(d));
    checkIntegers<u32>(u32(n), u32(d));
    checkIntegers<i32>(i32(n), i32(d));
  };
  for (u64 n : values)
    for (u64 d : values)
      check(n, d);
  for (int i = 0; i < 1000000; ++i) {
    u64 d = random() >> random() % 64, q = random() >> random() % 64;
    check(random() >> random() % 64, d);
    check(q * d, d);
    check(q * d - 1, d);
  }
}

// PTX: rcp.approx.ftz.f32 is within 1 unit of the exact value, and
// rsqrt.approx.ftz.f32 within 2^-22.9 of it, which is less than 3 units; the
// replacement makes 3 of 2.
INSTANTIATE_TEST_SUITE_P(Errors, DeviceMath, testing::Values(0, 1, -1, 2, -2));
