//===- mk_pages.cuh - The ring of pages that weights arrive in ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loader and consumers count the same sequence of pages, so a page needs no
// name but its number: kN_load and kN_compute take the number of their first
// page and return the number after their last.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_record.cuh"
#include "mk_wait.cuh"

MK_DEV u32 mk_page_slot(u32 seq) { return seq % MK_PAGES; }
MK_DEV u32 mk_page_parity(u32 seq) { return seq / MK_PAGES & 1; }

/// Consumers: page `seq`, once it has arrived. Each warp that reads it calls
/// this; the memory is read-only.
MK_DEV const u8 *mk_page_take(u32 seq) {
  mk_wait(&mk().pageFull[mk_page_slot(seq)], mk_page_parity(seq),
          MkStall::PageFull, seq);
  return mk_page(seq);
}

/// Consumers: this warp has done its last read of page `seq`. Each of the eight
/// warps calls it once for each page, in order, also if it reads nothing there.
MK_DEV void mk_page_give(u32 seq) {
  warp_sync();
  if (mk_lane() == 0)
    mbar_arrive(&mk().pageFree[mk_page_slot(seq)]);
}

/// Loader: fills page `seq` with up to MK_PAGE bytes as soon as it is free.
/// Address and size are multiples of 16.
MK_DEV void mk_page_load(u32 seq, const u8 *from, u32 bytes) {
  u64 *full = &mk().pageFull[mk_page_slot(seq)];
  if (!mk_wait_warp(&mk().pageFree[mk_page_slot(seq)], mk_page_parity(seq) ^ 1,
                    MkStall::PageFree, seq))
    return; // after an abort no copy is issued
  copy_begin(full, bytes);
  copy_issue(mk_page(seq), from, bytes, full);
  copy_end(full);
}

/// Pages of a tile whose weights are that many contiguous bytes.
constexpr u32 mk_pages_of(u64 bytes) {
  return u32((bytes + MK_PAGE - 1) / MK_PAGE);
}

/// Loader: one tile's contiguous weights into its pages.
template <u64 Bytes> MK_DEV u32 mk_load_bytes(u32 seq, const u8 *from) {
  static_assert(Bytes % 16 == 0);
#pragma unroll 1
  for (u64 at = 0; at < Bytes; at += MK_PAGE)
    mk_page_load(seq++, from + at,
                 u32(Bytes - at < MK_PAGE ? Bytes - at : MK_PAGE));
  return seq;
}

/// The whole kN_load of a kernel whose tile t has `Bytes` bytes of weights at
/// `weights` + t * `Bytes`.
template <u64 Bytes>
MK_DEV u32 mk_load_tiles(u32 slot, u32 seq, const u8 *weights) {
  MkTask task = mk_load_task(slot);
#pragma unroll 1
  for (u32 i = 0; i < task.count; ++i)
    seq = mk_load_bytes<Bytes>(
        seq, weights + u64(task.start + i * task.stride) * Bytes);
  return seq;
}
