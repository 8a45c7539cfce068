//===- mk_integer.cuh - Integer division without calls --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in the compiler's interpreter: quotients are truncated, remainders have
// the dividend's sign, dividing by 0 gives 0 for both, and the smallest number
// by -1 wraps. Nothing traps. The operators on 64 bits would be compiled to
// calls.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <mk_ptx.cuh>

MK_DEV u32 mk_div(u32 n, u32 d) { return d ? n / d : 0; }

/// The reciprocal of d, a double, gives a quotient that is never too large: the
/// sum of all rounding errors is below 2^-50 of it, and it is made smaller by
/// 2^-49. What is missing is below 2^17; the same step on the rest leaves 0 or
/// 1.
MK_DEV u64 mk_div(u64 n, u64 d) {
  if ((n | d) >> 32 == 0)
    return mk_div(u32(n), u32(d));
  if (d == 0)
    return 0;
  double y = double(d), r = mk_rcp_approx(y);
  r = mk_fma(r, mk_fma(-y, r, 1.0), r); // 20 bits -> 40
  r = mk_fma(r, mk_fma(-y, r, 1.0), r); // -> 52
  r *= 1 - 0x1p-49;
  u64 q = u64(double(n) * r);
  u64 rest = n - q * d;
  u64 more = u64(double(rest) * r);
  rest -= more * d;
  return q + more + (rest >= d);
}

MK_DEV i32 mk_div(i32 n, i32 d) {
  u32 size = mk_div(n < 0 ? 0 - u32(n) : u32(n), d < 0 ? 0 - u32(d) : u32(d));
  return i32((n < 0) != (d < 0) ? 0 - size : size);
}
MK_DEV i64 mk_div(i64 n, i64 d) {
  u64 size = mk_div(n < 0 ? 0 - u64(n) : u64(n), d < 0 ? 0 - u64(d) : u64(d));
  return i64((n < 0) != (d < 0) ? 0 - size : size);
}

MK_DEV u32 mk_rem(u32 n, u32 d) { return d ? n % d : 0; }
MK_DEV u64 mk_rem(u64 n, u64 d) { return d ? n - mk_div(n, d) * d : 0; }
MK_DEV i32 mk_rem(i32 n, i32 d) {
  return d ? i32(u32(n) - u32(mk_div(n, d)) * u32(d)) : 0;
}
MK_DEV i64 mk_rem(i64 n, i64 d) {
  return d ? i64(u64(n) - u64(mk_div(n, d)) * u64(d)) : 0;
}
