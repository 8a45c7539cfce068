//===- BoxesTest.cpp - Canonical boxes and common bytes -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Boxes.h"

#include "test/unit/runtime/mutate.h"

#include <gtest/gtest.h>
#include <set>

using namespace mkrt::format;
using namespace mkrt::test;
using namespace mkrt::verify;

static std::set<int64_t> bytesOf(const ByteBox &box) {
  std::set<int64_t> starts{box.offset}, bytes;
  for (unsigned k = 0; k < box.rank; ++k) {
    std::set<int64_t> next;
    for (int64_t start : starts)
      for (int64_t i = 0; i < box.size[k]; ++i)
        next.insert(start + i * box.stride[k]);
    starts = next;
  }
  for (int64_t start : starts)
    for (int64_t e = 0; e < box.innerBytes; ++e)
      bytes.insert(start + e);
  return bytes;
}

static std::set<int64_t> bytesOf(const Box &box) {
  std::set<int64_t> starts{box.offset}, bytes;
  for (unsigned k = 0; k < box.rank; ++k) {
    std::set<int64_t> next;
    for (int64_t start : starts)
      for (int64_t i = 0; i < box.size[k]; ++i)
        next.insert(start + i * box.stride[k]);
    starts = next;
  }
  for (int64_t start : starts)
    for (int64_t e = 0; e < box.innerBytes; ++e)
      bytes.insert(start + e);
  return bytes;
}

static ByteBox randomBox(Random &random) {
  auto upTo = [&](int64_t most) { return int64_t(pick(random, most + 1)); };
  ByteBox box;
  box.offset = upTo(100) - 20;
  box.innerBytes = upTo(6);
  box.rank = unsigned(upTo(4));
  bool nested = upTo(1);
  int64_t pitch = 1 + upTo(4);
  for (unsigned k = 0; k < box.rank; ++k) {
    box.size[k] = upTo(10) ? 1 + upTo(3) : 0;
    box.stride[k] = nested ? pitch : upTo(50) - 20;
    pitch *= box.size[k] + upTo(1);
  }
  return box;
}

static std::optional<int64_t> common(const Box &a, int64_t moveA, const Box &b,
                                     int64_t moveB) {
  Effort effort;
  return commonByte(a, moveA, b, moveB, effort);
}

TEST(Boxes, CanonicalFormsHoldTheSameBytes) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    ByteBox box = randomBox(random);
    std::optional<Box> canonical = canonicalize(box);
    ASSERT_EQ(canonical.has_value(), !box.empty());
    if (!canonical)
      continue;
    std::set<int64_t> bytes = bytesOf(box);
    ASSERT_EQ(bytesOf(*canonical), bytes) << i;
    ASSERT_EQ(canonical->offset, *bytes.begin());
    ASSERT_EQ(canonical->offset + canonical->extent, *bytes.rbegin() + 1);
  }
}

TEST(Boxes, CommonBytesAreExact) {
  Random random(2);
  int meet = 0;
  for (int i = 0; i < 50000; ++i) {
    ByteBox x = randomBox(random), y = randomBox(random);
    if (pick(random, 2)) { // The same frame.
      y = x;
      y.offset += int64_t(pick(random, 40)) - 20;
    }
    std::optional<Box> a = canonicalize(x), b = canonicalize(y);
    if (!a || !b)
      continue;
    std::set<int64_t> bytesA = bytesOf(x), bytesB = bytesOf(y), both;
    std::set_intersection(bytesA.begin(), bytesA.end(), bytesB.begin(),
                          bytesB.end(), std::inserter(both, both.begin()));
    std::optional<int64_t> byte = common(*a, 1000, *b, 1000);
    ASSERT_EQ(byte.has_value(), !both.empty()) << i;
    if (byte) {
      ++meet;
      ASSERT_TRUE(both.contains(*byte - 1000)) << i;
    }
  }
  EXPECT_GT(meet, 5000);
}

TEST(Boxes, RepeatIsTheUnionOfCopies) {
  Random random(3);
  for (int i = 0; i < 5000; ++i) {
    std::optional<Box> box = canonicalize(randomBox(random));
    if (!box)
      continue;
    int64_t count = 1 + int64_t(pick(random, 4));
    int64_t delta = int64_t(pick(random, 60)) - 30;
    std::set<int64_t> expected;
    for (int64_t k = 0; k < count; ++k)
      for (int64_t byte : bytesOf(*box))
        expected.insert(byte + k * delta);
    ASSERT_EQ(bytesOf(repeat(*box, count, delta)), expected) << i;
  }
}

TEST(Boxes, EqualBytesInterningSharesNumbers) {
  ByteBox rows; // 4 rows of 16 bytes without a gap: one run.
  rows.innerBytes = 16;
  rows.rank = 1;
  rows.size[0] = 4;
  rows.stride[0] = 16;
  ByteBox run;
  run.innerBytes = 64;
  BoxTable table;
  EXPECT_EQ(table.intern(*canonicalize(rows)),
            table.intern(*canonicalize(run)));
  EXPECT_EQ(table.size(), 1u);
}

/// Dims of many indices, so that residues decide.
TEST(Boxes, CommonBytesOfLongDimsAreExact) {
  Random random(3);
  auto upTo = [&](int64_t most) { return int64_t(pick(random, most + 1)); };
  auto longBox = [&] {
    int64_t factor = 1 + upTo(5);
    ByteBox box;
    box.offset = upTo(40);
    box.innerBytes = 1 + upTo(2);
    box.rank = 1 + unsigned(upTo(1));
    for (unsigned k = 0; k < box.rank; ++k) {
      box.size[k] = 1 + upTo(30);
      box.stride[k] = factor * (1 + upTo(6));
    }
    return box;
  };
  int met = 0;
  for (int i = 0; i < 20000; ++i) {
    Box a = *canonicalize(longBox()), b = *canonicalize(longBox());
    int64_t move = upTo(60) - 30;
    std::set<int64_t> bytesA = bytesOf(a), bytesB = bytesOf(b);
    bool meet = std::any_of(bytesB.begin(), bytesB.end(), [&](int64_t byte) {
      return bytesA.contains(byte + move);
    });
    met += meet;
    std::optional<int64_t> byte = common(a, 0, b, move);
    ASSERT_EQ(byte.has_value(), meet) << i;
    if (byte) {
      ASSERT_TRUE(bytesA.contains(*byte) && bytesB.contains(*byte - move));
    }
  }
  EXPECT_GT(met, 2000);
  EXPECT_LT(met, 18000);
}

static Box
stridedBox(int64_t offset,
           std::vector<std::pair<int64_t, int64_t>> sizesAndStrides) {
  ByteBox box;
  box.offset = offset;
  box.innerBytes = 1;
  for (auto [size, stride] : sizesAndStrides) {
    box.size[box.rank] = size;
    box.stride[box.rank++] = stride;
  }
  return *canonicalize(box);
}

TEST(Boxes, CommonFactorsOfStridesTellHugeBoxesApart) {
  Box twos = stridedBox(0, {{int64_t(1) << 42, 2}});
  Box fours = stridedBox(1, {{int64_t(1) << 41, 4}});
  Effort effort(100);
  EXPECT_EQ(commonByte(twos, 0, fours, 0, effort), std::nullopt);
  EXPECT_FALSE(effort.exhausted());
  EXPECT_TRUE(commonByte(twos, 1, fours, 0, effort));
  EXPECT_FALSE(effort.exhausted());
}

TEST(Boxes, ComparisonsEndWhenTheEffortIsSpent) {
  // Each copy of the one lies in a gap of the other; no common factor tells.
  Box a = stridedBox(0, {{1 << 20, 1000}, {10, 2}});
  Box b = stridedBox(30, {{1 << 20, 1000}, {10, 3}});
  Effort effort(1000);
  commonByte(a, 0, b, 0, effort);
  EXPECT_TRUE(effort.exhausted());
}
