//===- mk_record.cuh - Records, tiles, operands, parameters ---------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_layout.cuh"

MK_DEV const MkRecord &mk_record(u32 slot) { return mk().ring[slot]; }

/// The counter's word in this run's bank.
MK_DEV u32 *mk_counter(u32 counter) {
  const MkEnvironment &env = mk().env;
  return env.counters + (env.run & 1) * env.counterCount + counter;
}

/// How many of the record's tiles this run computes: all, none if its predicate
/// is 0, or those with an index below its extent. Skipped tiles still signal.
MK_DEV u32 mk_active_tiles(const MkRecord &record) {
  using Kind = mkrt::format::ParameterSlot::Kind;
  mkrt::format::ParameterSlot slot(record.parameter);
  u32 count = record.tileCount;
  if (slot.kind() == Kind::None)
    return count;
  i64 value = ld_plan(mk().env.parameters + slot.slot());
  if (slot.kind() == Kind::Predicate)
    return value ? count : 0;
  u32 start = record.tileStart, stride = record.tileStride;
  if (value <= i64(start))
    return 0;
  u64 room = u64(value) - start;
  if (stride == 0 || room > 0xffffffffu)
    return count;
  u32 below = (u32(room) - 1) / stride + 1;
  return below < count ? below : count;
}

/// The tiles of the record in `slot`: start, start + stride, ..., count of
/// them. For kN_compute.
MK_DEV MkTask mk_task(u32 slot) { return ld_shared<MkTask>(&mk().tasks[slot]); }

/// The same for kN_load, which runs before the waiter has seen the record.
MK_DEV MkTask mk_load_task(u32 slot) {
  const MkRecord &record = mk_record(slot);
  return {record.kernel, record.tileStart, mk_active_tiles(record),
          record.tileStride};
}

/// Address of operand `i` of a kernel with `Count` operands: the last ones of
/// a kernel with many lie in the operand table.
template <u32 Count> MK_DEV u8 *mk_operand(u32 slot, u32 i) {
  constexpr u32 kInline = mkrt::format::kInlineOperands;
  const MkRecord &record = mk_record(slot);
  if (Count <= kInline || i < kInline - 1)
    return (u8 *)record.operands[i];
  const u64 *table = mk().env.operandTable + record.operands[kInline - 1];
  return (u8 *)ld_plan(table + (i - (kInline - 1)));
}

/// Entry i of the run's parameter table.
MK_DEV i64 mk_parameter(u32 i) { return ld_plan(mk().env.parameters + i); }

/// The block's part of global scratch memory, for what a task passes on within
/// itself and has no room for in shared memory. Undefined at a task's begin.
/// Accessed like activations.
MK_DEV u8 *mk_block_scratch() {
  return mk().env.scratch + mk_block() * mk().env.scratchBytes;
}

/// Ends the run: the first cause is the one that is reported.
MK_DEV void mk_abort(MkAbort code, u32 rank, u32 tile, i64 index, i64 bound) {
  mkrt::format::AbortState *state = mk().env.abort;
  if (cas_relaxed((u32 *)&state->code, 0, u32(code)))
    return;
  st_act(&state->rank, rank);
  st_act(&state->tile, tile);
  st_act(&state->block, mk_block());
  st_act(&state->index, index);
  st_act(&state->bound, bound);
}

/// Whether 0 <= index < bound; else the run ends with the node's name and
/// `shown`, the index as the data has it, and the caller must not touch what
/// the index selects. It goes on with the task, because the other warps may
/// wait for it at a barrier.
MK_DEV bool mk_check_index(u32 slot, u32 tile, i64 index, i64 shown,
                           i64 bound) {
  if (u64(index) < u64(bound))
    return true;
  mk_abort(MkAbort::IndexFault, mk_record(slot).rank, tile, shown, bound);
  return false;
}
MK_DEV bool mk_check_index(u32 slot, u32 tile, i64 index, i64 bound) {
  return mk_check_index(slot, tile, index, index, bound);
}
