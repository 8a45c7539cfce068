//===- mk_persistent.cuh - The persistent kernel --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included once, by the generated program, after the switches over kernels:
//   u32 mk_program_load(u32 kernel, u32 slot, u32 seq)
//   u32 mk_program_compute(u32 kernel, u32 slot, u32 seq)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "role_consumer.cuh"
#include "role_loader.cuh"
#include "role_monitor.cuh"
#include "role_signaller.cuh"
#include "role_waiter.cuh"

/// By one thread, before any other looks.
MK_DEV void mk_init(const MkEnvironment &env) {
  MkShared &shared = mk();
  shared.env = env;
  shared.stop = 0;
  shared.position = 0;
#pragma unroll 1
  for (u32 warp = 0; warp < mkrt::format::kBlockWarps; ++warp)
    shared.notes[warp] = {MkStall::None, 0, 0, 0};
#pragma unroll 1
  for (u32 slot = 0; slot < MK_RING; ++slot) {
    mbar_init(&shared.recordFull[slot], MK_COPY_ARRIVALS);
    mbar_init(&shared.recordFree[slot], 1);
    mbar_init(&shared.ready[slot], 1);
    mbar_init(&shared.done[slot], MK_CONSUMERS);
  }
#pragma unroll 1
  for (u32 slot = 0; slot < MK_PAGES; ++slot) {
    mbar_init(&shared.pageFull[slot], MK_COPY_ARRIVALS);
    mbar_init(&shared.pageFree[slot], MK_CONSUMERS);
  }
  mbar_init(&shared.finished, mkrt::format::kBlockWarps - 1);
  fence_async_shared(); // the copies count on these barriers
}

/// This block's part of the bank of the next run, which nobody uses in this.
MK_DEV void mk_clear_counters(const MkEnvironment &env) {
  u32 *bank = env.counters + (~env.run & 1) * env.counterCount;
  for (u32 i = mk_block() * MK_THREADS + mk_thread(); i < env.counterCount;
       i += mk_blocks() * MK_THREADS)
    st_counter(bank + i, 0);
}

MK_KERNEL mk_main(MK_PARAMETER MkEnvironment env) {
  if (mk_thread() == 0)
    mk_init(env);
  mk_clear_counters(env);
  block_sync();
  u32 first = ld_plan(env.queueStarts + mk_block());
  u32 count = ld_plan(env.queueStarts + mk_block() + 1) - first;
  u32 warp = mk_warp();
  if (warp == mkrt::format::kMonitorWarp) {
    if (mk_lane() == 0) {
      mk_trace_block(0);
      mk_monitor(first, count);
      mk_trace_block(1);
    }
    return;
  }
  if (warp < MK_CONSUMERS)
    mk_consumer(count);
  else if (warp == mkrt::format::kLoaderWarp)
    mk_loader(first, count);
  else if (warp == mkrt::format::kWaiterWarp)
    mk_waiter(count);
  else
    mk_signaller(first, count);
  warp_sync();
  if (mk_lane() == 0)
    mbar_arrive(&mk().finished);
}
