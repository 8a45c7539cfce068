//===- RandomGraphTest.cpp - The scheduler against the verifier -----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chains of random dispatches on matrices. The scheduler and the verifier share
// no code, so a schedule that is accepted is right by two counts; the oracle of
// the verifier's own tests is the third.
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Verify.h"
#include "test/unit/compiler/schedule/GraphBuilder.h"
#include "test/unit/runtime/Oracle.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace mkc::schedule;
using namespace mkc::test;
using namespace mkrt::format;

namespace {

constexpr int64_t kRows = 12, kColumns = 8, kElement = 4,
                  kPitch = kColumns * kElement, kBytes = kRows * kPitch;

/// How a kernel's tiles divide a matrix.
enum class Division { Rows, PartialRows, Columns, Grid, Whole };

class RandomGraph {
public:
  explicit RandomGraph(unsigned seed) : random_(seed) {}

  GraphBuilder build() {
    for (int i = 0; i < 2; ++i)
      readable_.push_back(builder_.input(kBytes));
    readable_.push_back(builder_.weights(kBytes));
    int64_t dispatches = 1 + upTo(24);
    for (int64_t d = 0; d < dispatches; ++d)
      addDispatch();
    return std::move(builder_);
  }

  Options options() {
    return {.queues = 1 + uint32_t(upTo(19)), .bands = 1 + uint32_t(upTo(5))};
  }

private:
  using Value = AccessBuilder::Value;

  int64_t upTo(int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random_);
  }
  bool oneIn(int64_t n) { return upTo(n - 1) == 0; }
  /// One of the last three mostly, so that others can give up their bytes.
  uint32_t anyOf(const std::vector<uint32_t> &buffers) {
    int64_t count = int64_t(buffers.size());
    int64_t back = upTo(oneIn(8) ? count - 1 : std::min<int64_t>(count, 3) - 1);
    return buffers[size_t(count - 1 - back)];
  }

  /// Tiles of which no two share bytes.
  AccessEntry disjoint(AccessBuilder &b, unsigned operand, AccessMode mode,
                       Division division) {
    Value t = b.tile(), pitch = b.constant(kPitch);
    auto rows = [&](Value first, Value count) {
      return b.entry(operand, mode, b.mul(first, pitch), {},
                     b.mul(count, pitch));
    };
    switch (division) {
    case Division::Rows:
      return rows(b.mul(t, b.constant(2)), b.constant(2));
    case Division::PartialRows: {
      Value first = b.mul(t, b.constant(5));
      Value left = b.add(b.constant(kRows), b.mul(first, b.constant(-1)));
      return rows(first, b.min(b.constant(5), left));
    }
    case Division::Columns: {
      AccessBuilder::Dim down[] = {{b.constant(kRows), pitch}};
      Value width = b.constant(2 * kElement);
      return b.entry(operand, mode, b.mul(t, width), down, width);
    }
    case Division::Grid: { // 3 x 2 blocks of 4 x 4.
      AccessBuilder::Dim down[] = {{b.constant(4), pitch}};
      Value row = b.floorDiv(t, b.constant(2)),
            column = b.mod(t, b.constant(2));
      Value at = b.add(b.mul(row, b.constant(4 * kPitch)),
                       b.mul(column, b.constant(4 * kElement)));
      return b.entry(operand, mode, at, down, b.constant(4 * kElement));
    }
    case Division::Whole:
      return rows(b.constant(0), b.constant(kRows));
    }
    return {};
  }

  static uint32_t tilesOf(Division division) {
    constexpr uint32_t counts[] = {6, 3, 4, 6, 1};
    return counts[size_t(division)];
  }

  AccessEntry read(AccessBuilder &b, unsigned operand, Division division) {
    Value t = b.tile(), pitch = b.constant(kPitch), zero = b.constant(0);
    switch (upTo(5)) {
    case 0: { // A halo of one row on each side.
      Value first = b.mul(t, b.constant(2));
      Value begin = b.max(zero, b.add(first, b.constant(-1)));
      Value end = b.min(b.constant(kRows), b.add(first, b.constant(3)));
      Value count = b.max(zero, b.add(end, b.mul(begin, b.constant(-1))));
      return b.entry(operand, AccessMode::Read, b.mul(begin, pitch), {},
                     b.mul(count, pitch));
    }
    case 1: { // One element of each row, from the last row upwards.
      AccessBuilder::Dim up[] = {{b.constant(kRows), b.constant(-kPitch)}};
      return b.entry(operand, AccessMode::Read,
                     b.add(b.constant((kRows - 1) * kPitch),
                           b.mul(t, b.constant(kElement))),
                     up, b.constant(kElement));
    }
    case 2: { // Every other row.
      AccessBuilder::Dim down[] = {
          {b.constant(kRows / 2), b.constant(2 * kPitch)}};
      return b.entry(operand, AccessMode::Read,
                     b.mul(b.mod(t, b.constant(2)), pitch), down, pitch);
    }
    case 3:
      return disjoint(b, operand, AccessMode::Read, Division::Whole);
    default:
      return disjoint(b, operand, AccessMode::Read, division);
    }
  }

  /// A buffer that a dispatch may write: mostly a new one, sometimes one that
  /// others have written or read.
  uint32_t target() {
    if (!written_.empty() && oneIn(4))
      return anyOf(written_);
    uint32_t buffer =
        oneIn(6) ? builder_.output(2 * kBytes) : builder_.arena(2 * kBytes);
    written_.push_back(buffer);
    return buffer;
  }

  /// One output, in one half of a buffer of two matrices, and inputs that are
  /// not the output, but for the updated one.
  void addDispatch() {
    auto division = Division(upTo(4));
    uint32_t to = target();
    AccessBuilder b;
    bool inPlace = oneIn(6);
    std::vector<AccessEntry> entries = {disjoint(
        b, 0, inPlace ? AccessMode::ReadWrite : AccessMode::Write, division)};
    std::vector<Operand> operands = {{to, oneIn(2) ? uint64_t(kBytes) : 0}};
    int64_t inputs = oneIn(8) ? 8 : upTo(3);
    for (int64_t i = 0; i < inputs; ++i) {
      std::vector<uint32_t> &from = oneIn(3) ? readable_ : written_;
      uint32_t buffer = anyOf(from);
      if (buffer == to)
        continue;
      bool half = &from == &written_ && oneIn(2);
      entries.push_back(read(b, unsigned(operands.size()), division));
      operands.push_back({buffer, half ? uint64_t(kBytes) : 0});
    }
    double cost = oneIn(3) ? 0 : double(upTo(100000));
    uint32_t kernel = builder_.kernel(
        tilesOf(division), uint32_t(operands.size()), b, entries, cost);
    builder_.dispatch(kernel, operands);
  }

  std::mt19937 random_;
  GraphBuilder builder_;
  std::vector<uint32_t> readable_, written_;
};

} // namespace

/// The verifier refuses bytes that a record shares with itself through two
/// operands; the memory plan must keep the whole buffers apart.
static bool operandsShareBytes(const TaskGraph &graph) {
  for (const Dispatch &dispatch : graph.dispatches)
    for (const Operand &x : dispatch.operands)
      for (const Operand &y : dispatch.operands) {
        const Buffer &a = graph.buffers[x.buffer], &b = graph.buffers[y.buffer];
        if (x.buffer != y.buffer && a.space == Space::Arena &&
            b.space == Space::Arena && a.offset < b.offset + b.bytes &&
            b.offset < a.offset + a.bytes)
          return true;
      }
  return false;
}

static unsigned graphCount() {
  const char *text = std::getenv("MKC_RANDOM_GRAPHS");
  return text ? unsigned(std::strtoul(text, nullptr, 10)) : 3000;
}

TEST(RandomGraph, SchedulesAreAccepted) {
  uint64_t records = 0, waits = 0, arenaBytes = 0, bufferBytes = 0;
  for (unsigned seed = 0; seed < graphCount(); ++seed) {
    RandomGraph random(seed);
    GraphBuilder builder = random.build();
    Options options = random.options();
    Scheduled result = scheduleOf(builder, options);
    ASSERT_EQ(result.error, "") << "seed " << seed;
    auto verified = mkrt::verify::verifySchedule(result.view);
    ASSERT_TRUE(verified.ok) << "seed " << seed << ": " << verified.message;
    if (seed % 4 == 0) {
      ASSERT_EQ(mkrt::test::judge(result.view, /*allPairs=*/false),
                mkrt::test::Verdict::Sound)
          << "seed " << seed;
    }
    EXPECT_FALSE(operandsShareBytes(builder.graph)) << "seed " << seed;
    EXPECT_EQ(result.schedule.queueStarts.size(), options.queues + 1);
    records += verified.statistics.records;
    waits += verified.statistics.waits;
    arenaBytes += result.schedule.arenaBytes;
    for (const Buffer &buffer : builder.graph.buffers)
      if (buffer.space == Space::Arena)
        bufferBytes += buffer.bytes;
  }
  std::printf("%llu records, %llu waits, arenas of %llu bytes for buffers of "
              "%llu\n",
              (unsigned long long)records, (unsigned long long)waits,
              (unsigned long long)arenaBytes, (unsigned long long)bufferBytes);
  EXPECT_LT(arenaBytes, bufferBytes);
}
