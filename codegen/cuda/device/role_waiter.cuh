//===- role_waiter.cuh - Warp 9: polls the counters -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Record i's counters are polled while the consumers still compute record
// i - 1. Then the waiter decodes the record for them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_record.cuh"
#include "mk_trace.cuh"
#include "mk_wait.cuh"

/// One lane per wait. Returns in all lanes alike: met, or the run is aborted.
MK_DEV void mk_wait_counters(const MkRecord &record) {
  constexpr u32 kMinPause = 20, kMaxPause = 160; // nanoseconds
  u32 lane = mk_lane(), seen = 0, target = 0, pause = kMinPause;
  u32 counter = 0;
  bool waits = lane < record.waitCount;
  if (waits) {
    counter = record.waits[lane].counter;
    target = record.waits[lane].target;
  }
  for (;;) {
    if (waits && seen < target)
      seen = ld_acquire(mk_counter(counter));
    // A target is the counter's full number of signals: more is always wrong.
    if (seen > target)
      mk_abort(MkAbort::OverSignalled, record.rank, counter, seen, target);
    u32 open = warp_ballot(seen != target);
    if (open == 0)
      break;
    if (mk_stopped_warp())
      return;
    if (open & -open & 1u << lane) // the first lane whose wait is open
      mk_note_counter(counter, seen, target);
    mk_pause(pause);
    pause = pause < kMaxPause ? pause * 2 : pause;
  }
  if (lane == 0)
    mk_note(MkStall::None, 0);
  warp_sync(); // what one lane has acquired, lane 0 releases
}

/// Tells all consumers to leave at record `i`. Its slot may still be in use for
/// record i - MK_RING: a warp that has not yet read that task would leave too
/// early, so all must be through it. They will be: nothing they wait for but
/// `ready` blocks after an abort, and all records before `i` are ready.
MK_DEV void mk_stop_consumers(u32 i) {
  u32 slot = i % MK_RING;
  if (i >= MK_RING)
    mk_wait_for<false>(&mk().done[slot], (i / MK_RING & 1) ^ 1, MkStall::Done,
                       i - MK_RING);
  if (mk_lane() == 0) {
    st_shared(&mk().tasks[slot].kernel, MK_STOP);
    mbar_arrive(&mk().ready[slot]);
  }
}

MK_DEV void mk_waiter(u32 count) {
  for (u32 i = 0; i < count; ++i) {
    u32 slot = i % MK_RING;
    bool staged = mk_wait_warp(&mk().recordFull[slot], i / MK_RING & 1,
                               MkStall::Record, i);
    const MkRecord &record = mk_record(slot);
    MkTask task{};
    if (staged) {
      mk_at(record.rank);
      mk_trace_wait_begin(slot);
      task = mk_load_task(slot); // may read a parameter: not after the wait
      mk_wait_counters(record);
      mk_trace_wait_end(slot);
    }
    if (mk_stopped_warp())
      return mk_stop_consumers(i);
    if (mk_lane() == 0) {
      st_shared(&mk().tasks[slot], task);
      mbar_arrive(&mk().ready[slot]);
    }
  }
}
