//===- mk_math.cuh - IEEE division and square root without calls ----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators / and sqrtf are compiled to sequences with a call for unusual
// operands, and a task function with a call saves some 40 registers per
// thread. These are correctly rounded for all operands, denormals included,
// and have a rare branch instead.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <mk_ptx.cuh>

/// Biased exponent of an f32.
MK_DEV u32 mk_exponent(float x) { return mk_bits<u32>(x) << 1 >> 24; }

/// a / b for any operands, in double precision. Its quotient carries at least
/// 2 * 24 + 1 bits, so that rounding it to f32, denormal or not, rounds the
/// exact quotient; where that is representable, the last step gives it exactly.
MK_DEV float mk_div_any(float a, float b) {
  double x = a, y = b, r = mk_rcp_approx(y);
  double quotient = x * r; // zeros, infinities and NaNs are settled by this
  bool special =
      mk_exponent(a) == 255 || mk_exponent(b) == 255 || a == 0 || b == 0;
  if (!special) {
    r = mk_fma(r, mk_fma(-y, r, 1.0), r); // 20 bits -> 40
    r = mk_fma(r, mk_fma(-y, r, 1.0), r); // -> 53
    quotient = x * r;
    quotient = mk_fma(mk_fma(-y, quotient, x), r, quotient);
  }
  return float(quotient);
}

/// a / b, correctly rounded.
MK_DEV float mk_div(float a, float b) {
  // Exponents within 60 of 1: nothing below overflows, and no remainder is
  // denormal, so that every fma of a remainder is exact (Markstein). Divisors
  // just below a power of two are left out: their reciprocals are so near to
  // the middle between two floats that one step does not always round right.
  constexpr u32 kLow = 127 - 60, kSpan = 120;
  constexpr u32 kSignificand = 0x7fffff, kNearOnes = 0x7ffff0;
  bool usual = mk_exponent(b) - kLow <= kSpan &&
               (mk_bits<u32>(b) & kSignificand) < kNearOnes &&
               (mk_exponent(a) - kLow <= kSpan || a == 0);
  if (!usual)
    return mk_div_any(a, b);
  float r = mk_rcp_approx(b);
  r = mk_fma(r, mk_fma(-b, r, 1.f), r);
  float quotient = a * r;
  quotient = mk_fma(mk_fma(-b, quotient, a), r, quotient);
  quotient = mk_fma(mk_fma(-b, quotient, a), r, quotient);
  // A zero's sign is lost in the sums.
  u32 sign = (mk_bits<u32>(a) ^ mk_bits<u32>(b)) & 0x80000000u;
  return mk_bits<float>((mk_bits<u32>(quotient) & 0x7fffffffu) | sign);
}

/// 1 / x, correctly rounded.
MK_DEV float mk_rcp(float x) { return mk_div(1.f, x); }

/// The square root, correctly rounded; a NaN for x < 0, and -0 for -0.
MK_DEV float mk_sqrt(float x) {
  // Scaled by even powers of two, so that neither x nor a remainder is
  // denormal; a root never is.
  u32 exponent = mk_exponent(x);
  float scale = exponent < 64 ? 0x1p64f : exponent > 192 ? 0x1p-64f : 1.f;
  float unscale = exponent < 64 ? 0x1p-32f : exponent > 192 ? 0x1p32f : 1.f;
  float s = x * scale;
  float r = mk_rsqrt_approx(s);
  float root = s * r, half = 0.5f * r;
  float e = mk_fma(-root, half, 0.5f);
  root = mk_fma(root, e, root);
  half = mk_fma(half, e, half);
  root = mk_fma(mk_fma(-root, root, s), half, root);
  root *= unscale;
  return x == 0 || x == mk_bits<float>(0x7f800000u) ? x : root;
}
