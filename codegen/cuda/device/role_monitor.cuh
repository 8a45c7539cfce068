//===- role_monitor.cuh - Warp 11: watchdog -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spreads an abort to this block's waits, starts one if the block makes no
// progress for `stallClocks`, and reports what each warp waits for. The first
// block to run out of time is often a victim: the host looks for the stalled
// report of the lowest rank.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_wait.cuh"

/// Writes this block's row of the report; `state` last, so that a host that
/// sees it sees the rest.
MK_DEV void mk_report(u32 code, u32 first, u32 count, u32 position) {
  mkrt::format::StallReport *report = mk().env.reports + mk_block();
  st_volatile(&report->position, position);
  st_volatile(&report->rank,
              position < count
                  ? ld_plan(&mk().env.records[first + position].rank)
                  : mkrt::format::kNoRank);
#pragma unroll 1
  for (u32 warp = 0; warp < mkrt::format::kBlockWarps; ++warp) {
    const u32 *note = (const u32 *)&mk().notes[warp];
    u32 *row = (u32 *)&report->warps[warp];
    for (u32 word = 0; word < 4; ++word)
      st_volatile(row + word, ld_volatile(note + word));
  }
  fence_system();
  st_volatile((u32 *)&report->state, code);
}

/// One lane. Ends when all other warps have, or after an abort: nothing needs
/// it any more once `stop` is set.
MK_DEV void mk_monitor(u32 first, u32 count) {
  constexpr u32 kPause = 1000; // nanoseconds between two looks
  u32 *code = (u32 *)&mk().env.abort->code;
  u32 position = 0;
  u64 begin = mk_clock();
  while (!mbar_test(&mk().finished, 0)) {
    mk_pause(kPause);
    u32 now = ld_volatile(&mk().position);
    if (now != position) {
      position = now;
      begin = mk_clock();
    }
    u32 aborted = ld_relaxed(code);
    if (!aborted && mk_clock() - begin < mk().env.stallClocks)
      continue;
    if (!aborted) {
      aborted = u32(MkAbort::Stalled);
      if (u32 earlier = cas_relaxed(code, 0, aborted))
        aborted = earlier;
    }
    mk_report(aborted, first, count, position);
    st_volatile(&mk().stop, 1);
    return;
  }
}
