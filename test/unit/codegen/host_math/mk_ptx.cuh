//===- mk_ptx.cuh - The arithmetic of the machine interface, on a CPU -----===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enough for mk_math.cuh. The approximations are off by what the test asks
// for, up to the errors that PTX allows, so that results cannot depend on
// luck.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_types.cuh"

#include <cmath>

#define MK_DEV inline

/// Error of the approximations, in units of the last place of f32.
inline int approximationError = 0;

inline float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.f, x) : x;
}
inline float offBy(float x, int ulps) {
  if (!std::isfinite(x) || x == 0)
    return x;
  return mk_bits<float>(mk_bits<u32>(x) + u32(ulps));
}

MK_DEV float mk_fma(float a, float b, float c) { return std::fma(a, b, c); }
MK_DEV double mk_fma(double a, double b, double c) { return std::fma(a, b, c); }
MK_DEV float mk_rcp_approx(float x) {
  return flushed(offBy(1.f / flushed(x), approximationError));
}
/// rcp.approx.ftz.f64 reads and gives the upper 32 bits of a double; 20 bits of
/// the significand are correct.
MK_DEV double mk_rcp_approx(double x) {
  double y = 1 / mk_bits<double>(mk_bits<u64>(x) >> 32 << 32);
  u64 high = mk_bits<u64>(y) >> 32;
  if (std::isfinite(y) && y != 0)
    high += u64(i64(approximationError));
  return mk_bits<double>(high << 32);
}
MK_DEV float mk_rsqrt_approx(float x) {
  return offBy(1.f / std::sqrt(flushed(x)), approximationError * 3 / 2);
}
