//===- mk_reduce.cuh - Reductions in a fixed order ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order depends on lane and warp numbers only, so results are the same
// bits in every run. `combine(a, b)` must be commutative; it is then evaluated
// alike in all lanes, and every lane gets the result.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_layout.cuh"

/// A value of 4 or 8 bytes from the lane whose number differs by `mask`.
template <class T> MK_DEV T mk_exchange(T value, u32 mask) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 4) {
    return mk_bits<T>(warp_shuffle_xor(mk_bits<u32>(value), mask));
  } else {
    u64 bits = mk_bits<u64>(value);
    u64 low = warp_shuffle_xor(u32(bits), mask);
    u64 high = warp_shuffle_xor(u32(bits >> 32), mask);
    return mk_bits<T>(low | high << 32);
  }
}

/// Over each group of `Lanes` neighbouring lanes, a power of two.
template <u32 Lanes = 32, class T, class Combine>
MK_DEV T mk_warp_reduce(T value, Combine combine) {
#pragma unroll
  for (u32 mask = Lanes / 2; mask; mask >>= 1)
    value = combine(value, mk_exchange(value, mask));
  return value;
}

/// Over all consumer threads. All of them call it, the same number of times:
/// it holds two mk_sync. `combine` sees the warps' values in warp order.
template <class T, class Combine>
MK_DEV T mk_block_reduce(T value, Combine combine) {
  value = mk_warp_reduce(value, combine);
  mk_sync(); // the partials of the reduction before are read
  if (mk_lane() == 0)
    st_shared(&mk().partials[mk_warp()], value);
  mk_sync();
  T result = ld_shared<T>(&mk().partials[0]);
#pragma unroll
  for (u32 warp = 1; warp < MK_CONSUMERS; ++warp)
    result = combine(result, ld_shared<T>(&mk().partials[warp]));
  return result;
}

struct MkAdd {
  template <class T> MK_DEV T operator()(T a, T b) const { return a + b; }
};
struct MkMax {
  MK_DEV float operator()(float a, float b) const { return mk_max(a, b); }
  template <class T> MK_DEV T operator()(T a, T b) const {
    return a < b || b != b ? b : a; // a NaN wins
  }
};
struct MkMin {
  MK_DEV float operator()(float a, float b) const { return mk_min(a, b); }
  template <class T> MK_DEV T operator()(T a, T b) const {
    return b < a || b != b ? b : a;
  }
};

template <class T> MK_DEV T mk_warp_sum(T v) {
  return mk_warp_reduce(v, MkAdd());
}
template <class T> MK_DEV T mk_block_sum(T v) {
  return mk_block_reduce(v, MkAdd());
}
template <class T> MK_DEV T mk_block_max(T v) {
  return mk_block_reduce(v, MkMax());
}
template <class T> MK_DEV T mk_block_min(T v) {
  return mk_block_reduce(v, MkMin());
}
