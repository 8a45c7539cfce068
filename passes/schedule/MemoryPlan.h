//===- MemoryPlan.h - Where arena buffers lie -----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/schedule/Clocks.h"
#include "passes/schedule/Schedule.h"

namespace mkc::schedule {

/// When a buffer is in use, in the order of the schedule.
struct BufferUse {
  Clock last;  ///< Covers every record that touches the buffer.
  Clock first; ///< Is known to be done before each record that touches it.
  uint64_t firstRecord; ///< In program order; UINT64_MAX if it is never used.
};

/// Chooses offsets of arena buffers. Two buffers share bytes only if every
/// record that uses one is ordered before every record that uses the other:
/// reuse adds no edges. Returns the arena's size.
uint64_t planMemory(std::vector<Buffer> &buffers,
                    const std::vector<BufferUse> &uses);

} // namespace mkc::schedule
