//===- Clocks.h - What is known to be done before a record ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mkc::schedule {

/// A vector clock: per queue, how many of its first records are ordered before.
class Clock {
public:
  explicit Clock(uint32_t queues) : entries(queues, 0) {}

  uint32_t operator[](uint32_t queue) const { return entries[queue]; }
  void set(uint32_t queue, uint32_t count) { entries[queue] = count; }

  void join(const Clock &other) {
    for (size_t q = 0; q < entries.size(); ++q)
      entries[q] = std::max(entries[q], other.entries[q]);
  }
  void meet(const Clock &other) {
    for (size_t q = 0; q < entries.size(); ++q)
      entries[q] = std::min(entries[q], other.entries[q]);
  }
  bool covers(const Clock &other) const {
    for (size_t q = 0; q < entries.size(); ++q)
      if (entries[q] < other.entries[q])
        return false;
    return true;
  }

private:
  std::vector<uint32_t> entries;
};

} // namespace mkc::schedule
