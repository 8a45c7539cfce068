//===- Schedule.h - Dispatches to records, counters and queues ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain tables, without MLIR: a million tasks must be cheap.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/AccessProgram.h"
#include "runtime/format/Record.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mkc::schedule {

struct Kernel {
  uint32_t tileCount;
  uint32_t operandCount;
  std::vector<mkrt::format::AccessEntry>
      accesses; ///< `firstInstr` into `code`.
  std::vector<mkrt::format::AccessInstr> code;
  double tileCost; ///< Predicted, in any unit that is the same for all kernels.
};

struct Buffer {
  mkrt::format::Space space;
  uint16_t index; ///< Of the input or output.
  uint64_t bytes;
  uint64_t offset; ///< In its space; chosen by the memory plan for the arena.
};

struct Operand {
  uint32_t buffer;
  uint64_t offset; ///< In the buffer.
};

struct Dispatch {
  uint32_t kernel;
  std::vector<Operand> operands;
};

/// Dispatches in an order in which a single worker may run them.
struct TaskGraph {
  std::vector<Kernel> kernels;
  std::vector<Buffer> buffers;
  std::vector<Dispatch> dispatches;
};

struct Options {
  uint32_t queues = 16;
  /// Counters that a dispatch's records are divided over, so that a consumer of
  /// a part need not wait for all.
  uint32_t bands = 4;
};

struct Schedule {
  std::vector<mkrt::format::Record> records; ///< Grouped by queue.
  std::vector<uint32_t> queueStarts;
  std::vector<uint32_t> recordDispatch;
  std::vector<uint64_t> operandTable;
  uint32_t counterCount = 0;
  uint64_t arenaBytes = 0;
};

/// Schedules `graph` and fills in the arena offsets of its buffers. Returns an
/// error text (an access that cannot be evaluated), or an empty string.
std::string buildSchedule(TaskGraph &graph, const Options &options,
                          Schedule &out);

} // namespace mkc::schedule
