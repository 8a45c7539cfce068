//===- mk_scalar.cuh - Scalar operations that C++ has no operator for -----===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations of MLIR's arith and math dialects need beside the
// operators of C++, with their results for NaNs, infinities and zeros.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_integer.cuh"
#include "mk_math.cuh"

MK_DEV float mk_abs(float x) {
  return mk_bits<float>(mk_bits<u32>(x) << 1 >> 1);
}
MK_DEV double mk_abs(double x) {
  return mk_bits<double>(mk_bits<u64>(x) << 1 >> 1);
}
/// The size of x with the sign of y.
MK_DEV float mk_copysign(float x, float y) {
  return mk_bits<float>((mk_bits<u32>(x) & 0x7fffffffu) |
                        (mk_bits<u32>(y) & 0x80000000u));
}
MK_DEV double mk_copysign(double x, double y) {
  constexpr u64 kSign = 1ull << 63;
  return mk_bits<double>((mk_bits<u64>(x) & ~kSign) |
                         (mk_bits<u64>(y) & kSign));
}
MK_DEV bool mk_is_infinite(float x) {
  return mk_bits<u32>(x) << 1 == 0xff000000u;
}

/// A NaN if one operand is.
MK_DEV double mk_max(double a, double b) { return a != a || a > b ? a : b; }
MK_DEV double mk_min(double a, double b) { return a != a || a < b ? a : b; }
/// The other operand if one is a NaN.
template <class T> MK_DEV T mk_max_number(T a, T b) {
  return b != b || a > b ? a : b;
}
template <class T> MK_DEV T mk_min_number(T a, T b) {
  return b != b || a < b ? a : b;
}

/// a / b within an ulp, where quotient, operands and 1 / b are normal numbers
/// or zero: for the inner steps of functions that are computed in f64.
MK_DEV double mk_div(double a, double b) {
  double r = mk_rcp_approx(b);
  r = mk_fma(r, mk_fma(-b, r, 1.0), r); // 20 bits -> 40
  r = mk_fma(r, mk_fma(-b, r, 1.0), r); // -> 53
  double quotient = a * r;
  return mk_fma(mk_fma(-b, quotient, a), r, quotient);
}

/// An f32 as mantissa * 2^exponent, an integer of 24 bits or less.
struct MkScaled {
  u32 mantissa;
  i32 exponent;
};
MK_DEV MkScaled mk_scaled(float x) {
  u32 bits = mk_bits<u32>(x) & 0x7fffffffu, exponent = bits >> 23;
  u32 fraction = bits & 0x7fffffu;
  return exponent ? MkScaled{fraction | 0x800000u, i32(exponent) - 150}
                  : MkScaled{fraction, -149};
}

/// The remainder of a / b truncated to a whole number, exact, with the sign of
/// a (C's fmodf).
MK_DEV float mk_fmod(float a, float b) {
  if (a != a || b != b || mk_is_infinite(a) || b == 0)
    return mk_bits<float>(0x7fc00000u);
  if (mk_abs(a) < mk_abs(b))
    return a;
  MkScaled x = mk_scaled(a), y = mk_scaled(b);
  // Here x >= y, so its exponent is not less.
  u32 rest = x.mantissa % y.mantissa;
  for (i32 e = x.exponent; e > y.exponent; --e) {
    rest <<= 1;
    rest = rest >= y.mantissa ? rest - y.mantissa : rest;
  }
  // 2^exponent is a normal f64, and the product needs no rounding.
  double unit = mk_bits<double>(u64(y.exponent + 1023) << 52);
  return mk_copysign(float(double(rest) * unit), a);
}

/// a / b rounded down, for b > 0.
template <class T> MK_DEV T mk_floor_div(T a, T b) {
  T quotient = mk_div(a, b);
  return quotient - T(a - quotient * b < 0);
}

/// Truncated; the nearest integer if x is out of range, and 0 for a NaN.
template <class F> MK_DEV i32 mk_to_i32(F x) {
  if (!(x > F(-2147483648.0)))
    return x == x ? -2147483647 - 1 : 0;
  return x < F(2147483648.0) ? i32(x) : 2147483647;
}
template <class F> MK_DEV i64 mk_to_i64(F x) {
  if (!(x > F(-9223372036854775808.0)))
    return x == x ? -9223372036854775807ll - 1 : 0;
  return x < F(9223372036854775808.0) ? i64(x) : 9223372036854775807ll;
}
