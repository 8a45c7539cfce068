//===- MemoryPlan.cpp - Where arena buffers lie ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First fit in the order of first use: a buffer takes the lowest gap that is
// large enough between the buffers that it may not share bytes with.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/MemoryPlan.h"

#include <numeric>

using namespace mkc::schedule;

static constexpr uint64_t kAlignment = 64;

static uint64_t alignUp(uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

static bool mayShare(const BufferUse &a, const BufferUse &b) {
  return a.first.covers(b.last) || b.first.covers(a.last);
}

uint64_t mkc::schedule::planMemory(std::vector<Buffer> &buffers,
                                   const std::vector<BufferUse> &uses) {
  std::vector<uint32_t> order;
  for (uint32_t b = 0; b < buffers.size(); ++b)
    if (buffers[b].space == mkrt::format::Space::Arena &&
        uses[b].firstRecord != UINT64_MAX)
      order.push_back(b);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return uses[a].firstRecord < uses[b].firstRecord;
  });
  std::vector<uint32_t> placed; // by offset
  uint64_t arena = 0;
  for (uint32_t b : order) {
    uint64_t bytes = std::max(alignUp(buffers[b].bytes), kAlignment);
    uint64_t at = 0;
    for (uint32_t other : placed) {
      if (mayShare(uses[b], uses[other]))
        continue;
      if (at + bytes <= buffers[other].offset)
        break;
      at =
          std::max(at, buffers[other].offset +
                           std::max(alignUp(buffers[other].bytes), kAlignment));
    }
    buffers[b].offset = at;
    arena = std::max(arena, at + bytes);
    auto position = std::upper_bound(
        placed.begin(), placed.end(), b, [&](uint32_t x, uint32_t y) {
          return buffers[x].offset < buffers[y].offset;
        });
    placed.insert(position, b);
  }
  return arena;
}
