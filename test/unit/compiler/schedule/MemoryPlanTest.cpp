//===- MemoryPlanTest.cpp - Which buffers share bytes ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/MemoryPlan.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace mkc::schedule;
using mkrt::format::Space;

static Clock clock(std::vector<uint32_t> entries) {
  Clock clock(uint32_t(entries.size()));
  for (uint32_t q = 0; q < entries.size(); ++q)
    clock.set(q, entries[q]);
  return clock;
}

static bool overlap(const Buffer &a, const Buffer &b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

static Buffer arena(uint64_t bytes) { return {Space::Arena, 0, bytes, 0}; }

TEST(MemoryPlan, ReusesBytesBehindTheirLastUse) {
  std::vector<Buffer> buffers = {arena(100), arena(100), arena(100)};
  // The third one is first used when the first one is done on both queues.
  std::vector<BufferUse> uses = {{clock({1, 2}), clock({0, 0}), 0},
                                 {clock({3, 2}), clock({0, 1}), 1},
                                 {clock({5, 5}), clock({1, 2}), 2}};
  EXPECT_EQ(planMemory(buffers, uses), 256u);
  EXPECT_EQ(buffers[2].offset, buffers[0].offset);
  EXPECT_FALSE(overlap(buffers[0], buffers[1]));
}

TEST(MemoryPlan, NeverSharesUnorderedBytes) {
  std::vector<Buffer> buffers = {arena(100), arena(100)};
  // The first one's last use on queue 1 is not known to be done.
  std::vector<BufferUse> uses = {{clock({1, 2}), clock({0, 0}), 0},
                                 {clock({5, 5}), clock({1, 1}), 1}};
  EXPECT_EQ(planMemory(buffers, uses), 256u);
  EXPECT_FALSE(overlap(buffers[0], buffers[1]));
}

TEST(MemoryPlan, LeavesOtherSpacesAndUnusedBuffersAlone) {
  std::vector<Buffer> buffers = {
      {Space::Weights, 0, 100, 640}, {Space::Output, 3, 100, 0}, arena(100)};
  std::vector<BufferUse> uses = {{clock({1}), clock({0}), 0},
                                 {clock({1}), clock({0}), 0},
                                 {clock({0}), clock({0}), UINT64_MAX}};
  EXPECT_EQ(planMemory(buffers, uses), 0u);
  EXPECT_EQ(buffers[0].offset, 640u);
}

TEST(MemoryPlan, GivesBuffersWithoutBytesAPlace) {
  std::vector<Buffer> buffers = {arena(0), arena(1)};
  std::vector<BufferUse> uses(2, {clock({1}), clock({0}), 0});
  EXPECT_EQ(planMemory(buffers, uses), 128u);
  EXPECT_NE(buffers[0].offset, buffers[1].offset);
}

TEST(MemoryPlan, SharesOnlyWhatIsOrdered) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    auto pick = [&](uint32_t low, uint32_t high) {
      return std::uniform_int_distribution<uint32_t>(low, high)(random);
    };
    std::vector<Buffer> buffers;
    std::vector<BufferUse> uses;
    uint64_t sum = 0;
    for (uint32_t b = 0; b < 40; ++b) {
      buffers.push_back(arena(pick(0, 500)));
      sum += (buffers.back().bytes + 64) / 64 * 64 + 64;
      Clock first(3), last(3);
      for (uint32_t q = 0; q < 3; ++q) {
        first.set(q, b + pick(0, 4));
        last.set(q, pick(0, 3) ? first[q] + 1 + pick(0, 6) : 0);
      }
      uses.push_back({last, first, b});
    }
    uint64_t bytes = planMemory(buffers, uses);
    EXPECT_LT(bytes, sum);
    for (size_t a = 0; a < buffers.size(); ++a) {
      EXPECT_EQ(buffers[a].offset % 64, 0u);
      EXPECT_LE(buffers[a].offset + buffers[a].bytes, bytes);
      for (size_t b = 0; b < a; ++b)
        if (overlap(buffers[a], buffers[b])) {
          EXPECT_TRUE(uses[a].first.covers(uses[b].last) ||
                      uses[b].first.covers(uses[a].last))
              << "seed " << seed << ": buffers " << a << " and " << b;
        }
    }
  }
}
