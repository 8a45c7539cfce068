//===- role_loader.cuh - Warp 8: stages records and weights ---------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs ahead and never waits for a dependency: records until the ring is full,
// weights until the pages are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_pages.cuh"

/// Issues the copy of record `i` of the queue if its slot is free; waits for
/// that only if `wait`. False if it was not issued.
MK_DEV bool mk_stage(u32 first, u32 i, bool wait) {
  u32 slot = i % MK_RING, parity = (i / MK_RING & 1) ^ 1;
  bool free =
      wait ? mk_wait_warp(&mk().recordFree[slot], parity, MkStall::Slot, i)
           : warp_all(mbar_test(&mk().recordFree[slot], parity));
  if (!free)
    return false;
  u64 *full = &mk().recordFull[slot];
  copy_begin(full, sizeof(MkRecord));
  copy_issue(&mk().ring[slot], mk().env.records + first + i, sizeof(MkRecord),
             full);
  copy_end(full);
  return true;
}

/// The block must not exit while copies into its shared memory are in flight.
MK_DEV void mk_drain_copies(u32 staged, u32 seq) {
  for (u32 i = staged > MK_RING ? staged - MK_RING : 0; i < staged; ++i)
    mk_drain(&mk().recordFull[i % MK_RING], i / MK_RING & 1);
  for (u32 i = seq > MK_PAGES ? seq - MK_PAGES : 0; i < seq; ++i)
    mk_drain(&mk().pageFull[mk_page_slot(i)], mk_page_parity(i));
}

MK_DEV void mk_loader(u32 first, u32 count) {
  u32 seq = 0, staged = 0;
  for (u32 i = 0; i < count; ++i) {
    while (staged < count && staged < i + MK_RING && !mk_stopped_warp() &&
           mk_stage(first, staged, staged == i))
      ++staged;
    u32 slot = i % MK_RING;
    mk_wait_warp(&mk().recordFull[slot], i / MK_RING & 1, MkStall::Record, i);
    if (mk_stopped_warp())
      break;
    const MkRecord &record = mk_record(slot);
    mk_at(record.rank);
    if (mk_active_tiles(record))
      seq = mk_program_load(record.kernel, slot, seq);
  }
  mk_drain_copies(staged, seq);
}
