//===- mk_wait.cuh - Waits that an abort can end --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. The monitor sets `stop`; nobody else polls the global abort flag.
// 2. After that every wait returns false, except the consumers' wait for
//    `ready`: they leave the loop where the waiter tells all of them to.
// 3. What was waited for must then not be relied on: consumers compute with
//    garbage up to that record, and nothing is signalled any more.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_layout.cuh"

MK_DEV bool mk_stopped() { return ld_volatile(&mk().stop) != 0; }

/// The same answer in all lanes: lanes that decided alone would take different
/// branches, and hang at the next warp_sync.
MK_DEV bool mk_stopped_warp() { return warp_any(mk_stopped()); }

/// Tells the watchdog what this warp waits for. Lanes that write at once write
/// the same.
MK_DEV void mk_note(MkStall kind, u32 at) {
  mkrt::format::WarpNote &note = mk().notes[mk_warp()];
  st_volatile(&note.at, at);
  st_volatile((u32 *)&note.kind, u32(kind));
}
MK_DEV void mk_note_counter(u32 counter, u32 seen, u32 wanted) {
  mkrt::format::WarpNote &note = mk().notes[mk_warp()];
  st_volatile(&note.seen, seen);
  st_volatile(&note.wanted, wanted);
  mk_note(MkStall::Counter, counter);
}

/// Waits for the end of a phase. The slow path is inline and free of calls: a
/// call would make every entry point save some 40 registers.
template <bool FallsThrough>
MK_DEV bool mk_wait_for(u64 *barrier, u32 parity, MkStall kind, u32 at) {
  if (mbar_test(barrier, parity))
    return true;
  mk_note(kind, at);
  do {
    // Before each suspension: after an abort many waits fall through in a row.
    if (FallsThrough && mk_stopped())
      return false;
    if (!MK_BULK)
      mk_pause(20); // there mbar_try returns at once
  } while (!mbar_try(barrier, parity));
  mk_note(MkStall::None, at);
  return true;
}
MK_DEV bool mk_wait(u64 *barrier, u32 parity, MkStall kind, u32 at) {
  return mk_wait_for<true>(barrier, parity, kind, at);
}
/// For service warps: the same answer in all lanes.
MK_DEV bool mk_wait_warp(u64 *barrier, u32 parity, MkStall kind, u32 at) {
  return warp_all(mk_wait(barrier, parity, kind, at));
}

/// Waits for a copy's end before the block exits, whatever happens. Bounded:
/// after an abort the phase may never end.
MK_DEV void mk_drain(u64 *barrier, u32 parity) {
  constexpr u64 kLimit = 1 << 20; // clocks: a thousand times a copy's latency
  u64 begin = mk_clock();
  while (!mbar_test(barrier, parity) && mk_clock() - begin < kLimit) {
  }
}
