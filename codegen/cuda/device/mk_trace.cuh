//===- mk_trace.cuh - Times of records, on request ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled in with -DMK_TRACE, in all modules of a program alike. The waiter
// and warp 0 stamp times into the record's slot; the signaller, which sees the
// end, writes the row, after it has signalled.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_layout.cuh"

#ifdef MK_TRACE

MK_DEV void mk_trace_wait_begin(u32 slot) {
  if (mk_lane() == 0)
    st_shared(&mk().waitBegin[slot], mk_clock());
}
MK_DEV void mk_trace_wait_end(u32 slot) {
  if (mk_lane() == 0)
    st_shared(&mk().waitEnd[slot], mk_clock());
}
MK_DEV void mk_trace_begin(u32 slot) {
  if (mk_thread() == 0)
    st_shared(&mk().begin[slot], mk_clock());
}
MK_DEV u64 mk_trace_end() { return mk_clock(); }
MK_DEV void mk_trace_record(u32 slot, u32 record, u64 end) {
  if (mk_lane() != 0)
    return;
  mkrt::format::TraceRecord *row = mk().env.traceRecords + record;
  mk_ptx_store(&row->waitBegin, ld_shared<u64>(&mk().waitBegin[slot]));
  mk_ptx_store(&row->waitEnd, ld_shared<u64>(&mk().waitEnd[slot]));
  mk_ptx_store(&row->begin, ld_shared<u64>(&mk().begin[slot]));
  mk_ptx_store(&row->end, end);
}
/// `at`: 0 at the block's beginning, 1 at its end.
MK_DEV void mk_trace_block(u32 at) {
  mkrt::format::TraceBlock *row = mk().env.traceBlocks + mk_block();
  mk_ptx_store(&row->sm, mk_sm());
  mk_ptx_store(&row->clock[at], mk_clock());
  mk_ptx_store(&row->nanoseconds[at], mk_nanoseconds());
}

#else

MK_DEV void mk_trace_wait_begin(u32 slot) {}
MK_DEV void mk_trace_wait_end(u32 slot) {}
MK_DEV void mk_trace_begin(u32 slot) {}
MK_DEV u64 mk_trace_end() { return 0; }
MK_DEV void mk_trace_record(u32 slot, u32 record, u64 end) {}
MK_DEV void mk_trace_block(u32 at) {}

#endif
