//===- GroupState.h - What is known of a group during the scan ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/verify/ClockPool.h"

#include <cstdint>
#include <vector>

namespace mkrt::verify {

/// From a group's first access until no later access can conflict with it.
struct GroupState {
  int64_t begin, end; ///< The hull of its boxes in the space.
  uint32_t touchesLeft;
  bool anyRead = false;

  std::vector<PositionSet> writes, reads; ///< Per box of the template.
  std::vector<Row> joined; ///< Per joined vector; null before the first write.

  /// The last position per lane of all accesses, and of all writes.
  Row lastAccess = nullptr, lastWrite = nullptr;

  /// Overlapping groups that had ended when this one began, the joined
  /// positions of their accesses and writes (null if there are none), and the
  /// lanes whose clock has passed them: clocks only grow.
  std::vector<uint32_t> earlier;
  Row earlierAccess = nullptr, earlierWrite = nullptr;
  std::vector<bool> passedAccess, passedWrite; ///< Per lane.

  /// Overlapping groups that live beside this one.
  std::vector<uint32_t> rivals;

  bool closed() const { return touchesLeft == 0; }
};

} // namespace mkrt::verify
