//===- mk_layout.cuh - Shared memory of a block ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <mk_ptx.cuh>

/// What the consumers need to know of a record, written by the waiter.
struct alignas(16) MkTask {
  u32 kernel; ///< Or MK_STOP: leave the loop over records.
  u32 start;
  u32 count; ///< Tiles that this run computes: 0 .. the record's count.
  u32 stride;
};
constexpr u32 MK_STOP = 0xffffffffu;

/// Begin of the dynamic shared memory; pages and scratch follow. Barriers come
/// in pairs with a parity: use number n of a slot ends phase n of its barriers.
struct MkShared {
  // Ring of staged records, one slot per record of the queue in turn.
  MkRecord ring[MK_RING];
  MkTask tasks[MK_RING];
  u64 recordFull[MK_RING]; ///< loader's copy -> loader, waiter, signaller
  u64 recordFree[MK_RING]; ///< signaller -> loader
  u64 ready[MK_RING];      ///< waiter -> consumers
  u64 done[MK_RING];       ///< consumer warps -> signaller
  // Ring of pages, one slot per page of the block in turn.
  u64 pageFull[MK_PAGES]; ///< loader's copy -> consumers
  u64 pageFree[MK_PAGES]; ///< consumer warps -> loader
  u64 finished;           ///< every other warp -> monitor
  MkEnvironment env;
  mkrt::format::WarpNote notes[mkrt::format::kBlockWarps];
  u32 stop;     ///< Monitor -> everyone: the run is aborted.
  u32 position; ///< Signaller -> monitor: records that have signalled.
  u64 partials[MK_CONSUMERS]; ///< Of reductions over the consumer warps.
#ifdef MK_TRACE
  u64 waitBegin[MK_RING], waitEnd[MK_RING], begin[MK_RING];
#endif
};
static_assert(sizeof(MkShared) <= mkrt::format::kSharedHeaderBytes);
static_assert(alignof(MkShared) <= 128);

MK_DEV MkShared &mk() { return *(MkShared *)mk_shared(); }

/// Page `seq` of the block's sequence of pages.
MK_DEV u8 *mk_page(u32 seq) {
  return mk_shared() + mkrt::format::kSharedHeaderBytes +
         seq % MK_PAGES * MK_PAGE;
}

/// MK_SCRATCH bytes for the consumers, aligned to 128; undefined at the entry
/// of a task, and no other task uses it until this one ends.
MK_DEV u8 *mk_scratch() {
  return mk_shared() + mkrt::format::kSharedHeaderBytes + MK_PAGES * MK_PAGE;
}

/// The scratch memory, once all consumer threads have called this: before a
/// tile writes what the tile before may still be read from.
MK_DEV u8 *mk_scratch_begin() {
  mk_sync();
  return mk_scratch();
}
