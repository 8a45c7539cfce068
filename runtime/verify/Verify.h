//===- Verify.h - Proving a schedule safe ---------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mkrt::verify {

/// Why a schedule is refused.
enum class Failure : uint8_t {
  None,
  Unsupported,   ///< A record means what this verifier does not know.
  Overflow,      ///< An access or a counter's sum does not fit its integers.
  Bounds,        ///< A tile touches bytes outside its allocation.
  ReadOnly,      ///< A tile writes weights or an input.
  Starved,       ///< A wait asks for more than all signals add up to.
  Oversignalled, ///< A wait asks for less.
  Deadlock,      ///< Queue order and counter edges have a cycle.
  Rank,          ///< The ranks are no topological order.
  Race,          ///< Two conflicting accesses are not ordered.
  TooLarge,      ///< More queues, tiles or boxes than the verifier takes.
};

/// "race", "deadlock", ...
std::string_view failureName(Failure failure);

/// Limits that bound time and memory and choose representations; none changes
/// the verdict, but for `TooLarge`. Tests make them small, so that small
/// schedules reach every path.
struct VerifyOptions {
  uint32_t boxesPerGroup = 1024;  ///< Distinct boxes before a group is cut.
  uint32_t retireInterval = 4096; ///< Records between two retirements.
  uint32_t sparsePositions = 16;  ///< Entries before a position set is dense.
  uint32_t joinedAbove = 4;       ///< Overlapping written boxes before they
                                  ///< share a joined vector.
  uint32_t memoizedCrossings = 1 << 20;
  /// Steps of comparing boxes before a schedule is too large, and as many more
  /// per record: a second or two for a small package.
  int64_t comparisonSteps = 1 << 28, comparisonStepsPerRecord = 1 << 13;
};

struct VerifyStatistics {
  uint64_t records = 0, waits = 0, tiles = 0;
  uint64_t touches = 0;   ///< Boxes of all records, after merging tiles.
  uint64_t boxes = 0;     ///< Distinct ones, relative to their operands.
  uint64_t groups = 0;    ///< Buffers, as far as the verifier tells them apart.
  uint64_t templates = 0; ///< Distinct sets of boxes.
  uint64_t exactTests =
      0; ///< Accesses that needed box-by-box tests of a group.
  double seconds = 0;
};

struct VerifyResult {
  bool ok = false;
  Failure failure = Failure::None;
  /// Names records, queues, positions, nodes, tiles, the byte and what is
  /// missing.
  std::string message;
  VerifyStatistics statistics;
};

/// Proves from the encoded bytes alone that
/// - every record runs tiles and hands its operands on by counters: other
///   opcodes and hand-offs have rules of their own;
/// - every tile stays inside its operands' allocations and writes neither
///   weights nor inputs;
/// - every wait is met and no counter passes its target;
/// - queue order and counters have no cycle and the ranks agree with them;
/// - no byte that a record writes through one operand is touched by the same
///   record through another one;
/// - each conflicting pair of accesses of two records to a byte is ordered.
/// Records that a predicate may skip are treated as run: they signal all the
/// same. Exact: it refuses nothing else, but for what would take more time or
/// memory than is in proportion to the package (`TooLarge`). The steps come in
/// this order; a step's first failure is reported, the same each time.
///
/// What it trusts: the access programs (`mkc verify --audit-accesses` tests
/// them), and each kernel with the order in which it reads and writes bytes of
/// one and the same operand.
///
/// Cost: near linear in records, waits and boxes, with rows of as many numbers
/// as queues have records. Throws std::bad_alloc only; safe to call from
/// several threads.
VerifyResult verifySchedule(const format::PackageView &view,
                            const VerifyOptions &options = {});

} // namespace mkrt::verify
