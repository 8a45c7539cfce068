//===- DeviceAbi.h - What host and persistent kernel agree on -------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included by the runtime, the simulator and the device code itself. Nothing
// here may include anything but <cstdint> and Record.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Record.h"

namespace mkrt::format {

//===----------------------------------------------------------------------===//
// Shape of a block
//===----------------------------------------------------------------------===//

/// Warps 0..7 compute; one service warp follows for each of the other roles.
inline constexpr uint32_t kConsumerWarps = 8;
inline constexpr uint32_t kLoaderWarp = 8;
inline constexpr uint32_t kWaiterWarp = 9;
inline constexpr uint32_t kSignallerWarp = 10;
inline constexpr uint32_t kMonitorWarp = 11;
inline constexpr uint32_t kBlockWarps = 12;
inline constexpr uint32_t kBlockThreads = kBlockWarps * 32;

/// Dynamic shared memory of a block, in this order: header, pages, scratch. The
/// number of pages is what the chip's limit leaves.
inline constexpr uint32_t kSharedHeaderBytes = 3072;
inline constexpr uint32_t kPageBytes = 16384;
inline constexpr uint32_t kScratchBytes = 32768;

/// Records that are staged in shared memory ahead of their execution.
inline constexpr uint32_t kRingSlots = 8;

/// Dynamic shared memory of a block with that many pages.
constexpr uint32_t sharedBytes(uint32_t pages) {
  return kSharedHeaderBytes + pages * kPageBytes + kScratchBytes;
}

//===----------------------------------------------------------------------===//
// Aborts and the watchdog
//===----------------------------------------------------------------------===//

/// Why a run ended early. The first cause wins.
enum class AbortCode : uint32_t {
  None = 0,
  Stalled = 1,       ///< A block made no progress; see its StallReport.
  OverSignalled = 2, ///< A counter passed the target of a wait.
  IndexFault = 3,    ///< An index from data is out of its bound.
};

/// One per context, in device memory; zero before a run. `code` is claimed
/// with a compare-and-swap, and only the claimant writes the rest.
struct AbortState {
  AbortCode code;
  uint32_t rank;  ///< Of the record, for OverSignalled and IndexFault.
  uint32_t tile;  ///< IndexFault: the tile. OverSignalled: the counter.
  uint32_t block; ///< Of the claimant.
  int64_t index;  ///< IndexFault: the index. OverSignalled: signals seen.
  int64_t bound;  ///< IndexFault: its bound. OverSignalled: the target.
};
static_assert(sizeof(AbortState) == 32);

/// What a warp waits for.
enum class StallKind : uint32_t {
  None = 0,
  Counter = 1,  ///< `at` is the counter; `seen`, `wanted` are its signals.
  Record = 2,   ///< Record number `at` of the queue, to be staged.
  Slot = 3,     ///< A free ring slot for record number `at`.
  Ready = 4,    ///< The waits of record number `at`.
  PageFull = 5, ///< Page number `at` of the block, to be loaded.
  PageFree = 6, ///< The page that page number `at` is to overwrite.
  Done = 7,     ///< The consumers' end of record number `at`.
};

struct WarpNote {
  StallKind kind;
  uint32_t at;
  uint32_t seen, wanted;
};

/// No record: the block has finished its queue.
inline constexpr uint32_t kNoRank = 0xffffffffu;

/// One per block, in memory that the host sees; zero before a run. Every block
/// fills its own when a run is aborted, `state` last.
struct StallReport {
  AbortCode state;
  uint32_t position; ///< Records of the queue that have signalled.
  uint32_t rank;     ///< Of the record at `position`, or kNoRank.
  uint32_t reserved;
  WarpNote warps[kBlockWarps];
};
static_assert(sizeof(StallReport) == 16 + 16 * kBlockWarps);

//===----------------------------------------------------------------------===//
// Tracing (kernels compiled with -DMK_TRACE)
//===----------------------------------------------------------------------===//

/// One per record, in the order of `DeviceEnvironment::records`, in clocks of
/// the block's SM.
struct TraceRecord {
  uint64_t waitBegin; ///< The waiter turned to the record.
  uint64_t waitEnd;   ///< Its waits were met.
  uint64_t begin;     ///< The consumers began with it.
  uint64_t end;       ///< All consumers were done with it.
};
static_assert(sizeof(TraceRecord) == 32);

/// One per block: SM clocks are not synchronised between SMs, so each block
/// reads both clocks at its beginning and at its end.
struct TraceBlock {
  uint32_t sm;
  uint32_t reserved;
  uint64_t clock[2];
  uint64_t nanoseconds[2];
};
static_assert(sizeof(TraceBlock) == 40);

//===----------------------------------------------------------------------===//
// The kernel's parameter
//===----------------------------------------------------------------------===//

/// Passed to `mk_main` by value. All pointers are device addresses.
struct DeviceEnvironment {
  const Record *records;        ///< Operands are absolute addresses.
  const uint32_t *queueStarts;  ///< u32[blocks + 1]: block b runs records
                                ///< [queueStarts[b], queueStarts[b + 1]).
  const uint64_t *operandTable; ///< Absolute addresses.
  const int64_t *parameters;    ///< The run's parameter table.
  uint32_t *counters;           ///< u32[2][counterCount]: two banks.
  uint32_t counterCount;
  uint32_t run;         ///< This run uses bank run mod 2, and clears the other.
  AbortState *abort;    ///< Device memory.
  StallReport *reports; ///< One per block, visible to the host.
  uint64_t stallClocks; ///< SM clocks without progress that end a run.
  uint8_t *scratch;     ///< `scratchBytes` per block, aligned to 128.
  uint64_t scratchBytes;     ///< ProgramInfo::scratchBytes, rounded up to 128.
  TraceRecord *traceRecords; ///< Read by kernels with MK_TRACE only.
  TraceBlock *traceBlocks;
};
static_assert(sizeof(DeviceEnvironment) == 104);

} // namespace mkrt::format
