//===- role_consumer.cuh - Warps 0 to 7: run the tiles --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_record.cuh"
#include "mk_trace.cuh"
#include "mk_wait.cuh"

MK_DEV void mk_consumer(u32 count) {
  u32 seq = 0;
  for (u32 i = 0; i < count; ++i) {
    u32 slot = i % MK_RING, parity = i / MK_RING & 1;
    // Never falls through: all eight warps must leave at the same record, or
    // some would wait for the others at a barrier for ever.
    mk_wait_for<false>(&mk().ready[slot], parity, MkStall::Ready, i);
    MkTask task = mk_task(slot);
    if (task.kernel == MK_STOP)
      return;
    // Queue order is an order of memory too: schedules leave out a wait that it
    // covers. So no warp begins a record before all are done with the one
    // before.
    mk_sync();
    mk_at(mk().ring[slot].rank);
    mk_trace_begin(slot);
    if (task.count)
      seq = mk_program_compute(task.kernel, slot, seq);
    warp_sync();
    if (mk_lane() == 0)
      mbar_arrive(&mk().done[slot]);
  }
}
