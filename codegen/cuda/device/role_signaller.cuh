//===- role_signaller.cuh - Warp 10: signals the ends of records ----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// So no consumer warp pays for the memory barrier of a release. It also frees
// the record's slot.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_record.cuh"
#include "mk_trace.cuh"
#include "mk_wait.cuh"

MK_DEV void mk_signaller(u32 first, u32 count) {
  u32 lane = mk_lane();
  for (u32 i = 0; i < count; ++i) {
    u32 slot = i % MK_RING;
    mk_wait_warp(&mk().done[slot], i / MK_RING & 1, MkStall::Done, i);
    u64 end = mk_trace_end();
    // The loader's copy is read here without a wait of our own: it reached the
    // waiter, the waiter's `ready` the consumers, and their `done` this warp.
    if (mk_stopped_warp())
      return;
    const MkRecord &record = mk().ring[slot];
    mk_at(record.rank);
    if (lane < record.signalCount)
      red_release(mk_counter(record.signals[lane].counter),
                  record.signals[lane].amount);
    mk_trace_record(slot, first + i, end);
    warp_sync();
    if (lane == 0) {
      st_volatile(&mk().position, i + 1);
      mbar_arrive(&mk().recordFree[slot]);
    }
  }
}
