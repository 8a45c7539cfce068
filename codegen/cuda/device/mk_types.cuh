//===- mk_types.cuh - Names that all device code uses ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/DeviceAbi.h"

#include <cstdint>

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;

/// f16 and bf16 as they lie in memory; arithmetic is done in f32.
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};

using MkRecord = mkrt::format::Record;
using MkEnvironment = mkrt::format::DeviceEnvironment;
using MkStall = mkrt::format::StallKind;
using MkAbort = mkrt::format::AbortCode;

constexpr u32 MK_CONSUMERS = mkrt::format::kConsumerWarps;
/// Threads that run kN_compute: 0 .. MK_WORKERS - 1.
constexpr u32 MK_WORKERS = MK_CONSUMERS * 32;
constexpr u32 MK_THREADS = mkrt::format::kBlockThreads;
constexpr u32 MK_RING = mkrt::format::kRingSlots;
constexpr u32 MK_PAGE = mkrt::format::kPageBytes;
constexpr u32 MK_SCRATCH = mkrt::format::kScratchBytes;
constexpr u32 MK_ALL_LANES = 0xffffffffu;

#ifndef MK_PAGES
#error "MK_PAGES, the number of pages, comes from the target's row"
#endif
#ifndef MK_BULK
#error "MK_BULK, 1 if the chip has bulk copies, comes from the target's row"
#endif

/// The bits of `value` as another type of the same size.
template <class To, class From> constexpr To mk_bits(const From &value) {
  return __builtin_bit_cast(To, value);
}

/// The unsigned type, or uint4, with the size of T.
template <u32 Bytes> struct MkWord;
template <> struct MkWord<1> {
  using type = u8;
};
template <> struct MkWord<2> {
  using type = u16;
};
template <> struct MkWord<4> {
  using type = u32;
};
template <> struct MkWord<8> {
  using type = u64;
};
