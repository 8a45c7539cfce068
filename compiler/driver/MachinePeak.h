//===- MachinePeak.h - What this machine can do ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace mkc::driver {

/// Measured by small loops on as many threads as a run has, in some tenths of a
/// second.
struct MachinePeak {
  double flopsPerSecond; ///< f32 fused multiply-adds, two operations each.
  double bytesPerSecond; ///< Reads, over and over, of `footprint` bytes.
};

/// `footprint` is what a run reads: a model that fits the caches is held to
/// their bandwidth, not to that of memory.
MachinePeak measureMachinePeak(unsigned threads, uint64_t footprint);

} // namespace mkc::driver
