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
  Overflow,      ///< An access or a counter's sum does not fit its integers.
  Bounds,        ///< A tile touches bytes outside its allocation.
  ReadOnly,      ///< A tile writes weights or an input.
  Starved,       ///< A wait asks for more than all signals add up to.
  Oversignalled, ///< A wait asks for less.
  Deadlock,      ///< Queue order and counter edges have a cycle.
  Rank,          ///< The ranks are no topological order.
  Race,          ///< Two conflicting accesses are not ordered.
  TooLarge,      ///< More queues or tiles than the verifier takes.
};

/// "race", "deadlock", ...
std::string_view failureName(Failure failure);

/// Limits that bound memory and choose representations; none changes the
/// verdict. Tests make them small, so that small schedules reach every path.
struct VerifyOptions {
  uint32_t boxesPerGroup = 1024;  ///< Distinct boxes before a group is cut.
  uint32_t retireInterval = 4096; ///< Records between two retirements.
  uint32_t sparsePositions = 16;  ///< Entries before a position set is dense.
  uint32_t joinedAbove = 4;       ///< Overlapping written boxes before they
                                  ///< share a joined vector.
  uint32_t memoizedCrossings = 1 << 20;
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

/// Proves from the encoded bytes alone that every tile stays inside its
/// operands' allocations and writes neither weights nor inputs, that every wait
/// is met and no counter passes its target, that queue order and counters have
/// no cycle and the ranks agree with them, and that each conflicting pair of
/// accesses to a byte is ordered. Records that a predicate may skip are treated
/// as run: they signal all the same. Exact: it refuses nothing else. The first
/// failure in topological order is reported, the same each time.
///
/// What it trusts: the access programs (`mkc verify --audit-accesses` tests
/// them).
///
/// Cost: near linear in records, waits and boxes, with rows of `queues`
/// numbers.
VerifyResult verifySchedule(const format::PackageView &view,
                            const VerifyOptions &options = {});

} // namespace mkrt::verify
