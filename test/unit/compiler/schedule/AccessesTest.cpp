//===- AccessesTest.cpp - Which tiles depend on which ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/TileAccesses.h"
#include "test/unit/compiler/schedule/GraphBuilder.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace mkc::schedule;
using namespace mkc::test;
using namespace mkrt::format;

static ByteBox box(int64_t offset, int64_t inner,
                   std::vector<std::pair<int64_t, int64_t>> dims = {}) {
  ByteBox box;
  box.offset = offset;
  box.innerBytes = inner;
  box.rank = unsigned(dims.size());
  for (unsigned k = 0; k < box.rank; ++k) {
    box.size[k] = dims[k].first;
    box.stride[k] = dims[k].second;
  }
  return box;
}

static TileAccess access(const ByteBox &box, bool isWrite,
                         uint32_t buffer = 0) {
  auto [begin, end] = *box.hull();
  return {buffer, isWrite, box, begin, end};
}

/// Of a write of the one and a read of the other, in both orders.
static bool conflict(const ByteBox &a, const ByteBox &b) {
  bool forwards = mayConflict(access(a, true), access(b, false));
  EXPECT_EQ(mayConflict(access(b, false), access(a, true)), forwards);
  EXPECT_EQ(mayConflict(access(a, false), access(b, true)), forwards);
  return forwards;
}

TEST(MayConflict, NeedsAWriteAndOneBuffer) {
  ByteBox whole = box(0, 64);
  EXPECT_TRUE(mayConflict(access(whole, true), access(whole, true)));
  EXPECT_TRUE(mayConflict(access(whole, true), access(whole, false)));
  EXPECT_FALSE(mayConflict(access(whole, false), access(whole, false)));
  EXPECT_FALSE(mayConflict(access(whole, true, 0), access(whole, true, 1)));
}

TEST(MayConflict, TellsRunsApart) {
  EXPECT_FALSE(conflict(box(0, 8), box(8, 8)));
  EXPECT_TRUE(conflict(box(0, 9), box(8, 8)));
  EXPECT_FALSE(conflict(box(0, 8, {{4, 16}}), box(64, 8)));
}

TEST(MayConflict, TellsColumnsApart) {
  // Columns of a matrix of 4 rows of 32 bytes: their hulls overlap.
  ByteBox left = box(0, 8, {{4, 32}}), right = box(8, 8, {{4, 32}});
  EXPECT_FALSE(conflict(left, right));
  EXPECT_TRUE(conflict(left, box(4, 8, {{4, 32}})));
  // Parts of the same columns in other rows.
  EXPECT_FALSE(conflict(box(0, 8, {{2, 32}}), box(64 + 4, 8, {{2, 32}})));
}

TEST(MayConflict, TellsPlanesOfATensorApart) {
  // 3 x 4 x 8 elements of 4 bytes; tiles of rows and columns of each plane.
  auto tile = [](int64_t row, int64_t column) {
    return box(row * 32 + column * 4, 8, {{3, 128}, {2, 32}});
  };
  EXPECT_FALSE(conflict(tile(0, 0), tile(0, 2)));
  EXPECT_FALSE(conflict(tile(0, 0), tile(2, 0)));
  EXPECT_TRUE(conflict(tile(0, 0), tile(1, 1)));
}

TEST(MayConflict, IsSafeWhereBoxesLeaveTheirRows) {
  // The last column wraps into the next row.
  EXPECT_TRUE(conflict(box(28, 8, {{3, 32}}), box(0, 4, {{3, 32}})));
  // The rows of the one are as long as two of the other.
  EXPECT_TRUE(conflict(box(0, 8, {{2, 64}}), box(64, 8, {{4, 32}})));
  // Backwards.
  EXPECT_TRUE(conflict(box(96, 8, {{4, -32}}), box(0, 8, {{4, 32}})));
}

TEST(MayConflict, MissesNoSharedByte) {
  std::mt19937 random(1);
  auto upTo = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  };
  auto bytesOf = [](const ByteBox &b) {
    std::set<int64_t> bytes;
    for (int64_t i = 0; i < (b.rank > 0 ? b.size[0] : 1); ++i)
      for (int64_t j = 0; j < (b.rank > 1 ? b.size[1] : 1); ++j)
        for (int64_t e = 0; e < b.innerBytes; ++e)
          bytes.insert(b.offset + i * b.stride[0] + j * b.stride[1] + e);
    return bytes;
  };
  int apart = 0, found = 0;
  for (int i = 0; i < 50000; ++i) {
    ByteBox a = box(upTo(40), 1 + upTo(5)), b = box(upTo(40), 1 + upTo(5));
    a.rank = b.rank = unsigned(upTo(2));
    for (unsigned k = 0; k < a.rank; ++k) {
      a.stride[k] = b.stride[k] = k ? 1 + upTo(8) : 1 + upTo(32);
      if (upTo(7) == 0)
        b.stride[k] += upTo(4) - 2;
      a.size[k] = 1 + upTo(3);
      b.size[k] = 1 + upTo(3);
    }
    std::set<int64_t> bytes = bytesOf(a);
    bool shared = false;
    for (int64_t byte : bytesOf(b))
      shared |= bytes.contains(byte);
    bool answer = conflict(a, b);
    ASSERT_TRUE(answer || !shared) << a.offset << " " << a.innerBytes << " and "
                                   << b.offset << " " << b.innerBytes;
    apart += !shared;
    found += !answer;
  }
  // It sees through most pairs that share nothing.
  EXPECT_GT(2 * found, apart);
}

TEST(TileAccesses, EvaluatesEveryTile) {
  GraphBuilder builder;
  uint32_t in = builder.input(64), w = builder.weights(32),
           out = builder.arena(96);
  uint32_t kernel = builder.blocks(4, 3, 8);
  builder.dispatch(kernel, {{out, 16}, {in, 32}, {w, 0}});
  TileAccesses accesses;
  ASSERT_EQ(accesses.evaluate(builder.graph, builder.graph.dispatches[0]), "");
  ASSERT_EQ(accesses.tileCount(), 4u);
  for (uint32_t t = 0; t < 4; ++t) {
    // Reads of weights are left out.
    ASSERT_EQ(accesses.tile(t).size(), 2u);
    const TileAccess &write = accesses.tile(t)[0], &read = accesses.tile(t)[1];
    EXPECT_EQ(write.buffer, out);
    EXPECT_TRUE(write.isWrite);
    EXPECT_EQ(write.begin, 16 + 8 * t);
    EXPECT_EQ(write.end, 24 + 8 * t);
    EXPECT_EQ(read.buffer, in);
    EXPECT_FALSE(read.isWrite);
    EXPECT_EQ(read.begin, 32 + 8 * t);
  }
}

TEST(TileAccesses, LeavesOutEmptyBoxes) {
  GraphBuilder builder;
  AccessBuilder b;
  // Of tile t, bytes [4 t, min(4 t + 4, 6)).
  auto at = b.mul(b.tile(), b.constant(4));
  auto size =
      b.min(b.constant(4), b.add(b.constant(6), b.mul(at, b.constant(-1))));
  uint32_t kernel =
      builder.kernel(3, 1, b, {b.entry(0, AccessMode::Write, at, {}, size)});
  builder.dispatch(kernel, {{builder.arena(6), 0}});
  TileAccesses accesses;
  ASSERT_EQ(accesses.evaluate(builder.graph, builder.graph.dispatches[0]), "");
  EXPECT_EQ(accesses.tile(1)[0].end, 6);
  EXPECT_TRUE(accesses.tile(2).empty());
}
