//===- ScheduleTest.cpp - Records, counters and queues --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Verify.h"
#include "test/unit/compiler/schedule/GraphBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace mkc::schedule;
using namespace mkc::test;
using namespace mkrt::format;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {
struct ScheduleTest : testing::Test {
  /// Schedules the graph and has the verifier accept it.
  void build(const Options &options) {
    result = scheduleOf(builder, options);
    ASSERT_EQ(result.error, "");
    auto verified = mkrt::verify::verifySchedule(result.view);
    EXPECT_TRUE(verified.ok) << verified.message;
  }

  std::span<const Record> records() const { return result.schedule.records; }

  /// Records of a dispatch by rank, those that only wait included.
  std::vector<Record> recordsOf(uint32_t dispatch) const {
    std::vector<Record> found;
    for (size_t r = 0; r < records().size(); ++r)
      if (result.schedule.recordDispatch[r] == dispatch)
        found.push_back(records()[r]);
    std::ranges::sort(found, {}, &Record::rank);
    return found;
  }

  std::vector<uint32_t> targetsOf(const Record &record) const {
    std::vector<uint32_t> targets;
    for (unsigned i = 0; i < record.waitCount; ++i)
      targets.push_back(record.waits[i].target);
    return targets;
  }

  /// Ranks of the records that signal the counters that `record` waits for.
  std::set<uint32_t> producersOf(const Record &record) const {
    std::set<uint32_t> ranks;
    for (unsigned i = 0; i < record.waitCount; ++i)
      for (const Record &other : records())
        for (unsigned s = 0; s < other.signalCount; ++s)
          if (other.signals[s].counter == record.waits[i].counter)
            ranks.insert(other.rank);
    return ranks;
  }

  GraphBuilder builder;
  Scheduled result;
};
} // namespace

TEST_F(ScheduleTest, SchedulesAnEmptyGraph) {
  build({.queues = 3});
  EXPECT_THAT(records(), IsEmpty());
  EXPECT_THAT(result.schedule.queueStarts, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(result.schedule.arenaBytes, 0u);
}

TEST_F(ScheduleTest, MakesNoRecordsForADispatchWithoutTiles) {
  uint32_t a = builder.arena(64), b = builder.arena(64);
  builder.dispatch(builder.blocks(0, 1, 8), {{a, 0}});
  builder.dispatch(builder.blocks(8, 2, 8), {{b, 0}, {a, 0}});
  build({.queues = 4});
  EXPECT_EQ(records().size(), 8u);
  EXPECT_EQ(result.schedule.counterCount, 0u);
}

TEST_F(ScheduleTest, WaitsForAllWithOneCounter) {
  uint32_t a = builder.arena(32), b = builder.arena(32);
  builder.dispatch(builder.blocks(4, 1, 8), {{a, 0}});
  builder.dispatch(builder.blocks(4, 2, 8, /*readAll=*/true), {{b, 0}, {a, 0}});
  build({.queues = 4, .bands = 4});
  for (const Record &record : recordsOf(1)) {
    EXPECT_THAT(targetsOf(record), ElementsAre(4));
    EXPECT_THAT(producersOf(record), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(record.signalCount, 0u);
  }
  // The counters of bands have no waiters and are gone.
  EXPECT_EQ(result.schedule.counterCount, 1u);
  for (const Record &record : recordsOf(0)) {
    ASSERT_EQ(record.signalCount, 1u);
    EXPECT_EQ(record.signals[0], (Signal{0, 1}));
  }
}

TEST_F(ScheduleTest, WaitsForBandsWhereFewMatter) {
  uint32_t a = builder.arena(64), b = builder.arena(64);
  builder.dispatch(builder.blocks(8, 1, 8), {{a, 0}});
  builder.dispatch(builder.blocks(8, 2, 8), {{b, 0}, {a, 0}});
  build({.queues = 8, .bands = 4});
  std::vector<Record> consumers = recordsOf(1);
  ASSERT_EQ(consumers.size(), 8u);
  for (uint32_t t = 0; t < 8; ++t) {
    EXPECT_THAT(targetsOf(consumers[t]), ElementsAre(2));
    uint32_t first = t / 2 * 2;
    EXPECT_THAT(producersOf(consumers[t]), ElementsAre(first, first + 1));
  }
  EXPECT_EQ(result.schedule.counterCount, 4u);
}

TEST_F(ScheduleTest, HasNoBandsIfAskedForOne) {
  uint32_t a = builder.arena(64), b = builder.arena(64);
  builder.dispatch(builder.blocks(8, 1, 8), {{a, 0}});
  builder.dispatch(builder.blocks(8, 2, 8), {{b, 0}, {a, 0}});
  build({.queues = 8, .bands = 1});
  for (const Record &record : recordsOf(1))
    EXPECT_THAT(targetsOf(record), ElementsAre(8));
  EXPECT_EQ(result.schedule.counterCount, 1u);
}

TEST_F(ScheduleTest, NeedsNoCountersOnOneQueue) {
  uint32_t a = builder.arena(64), b = builder.arena(64);
  builder.dispatch(builder.blocks(8, 1, 8), {{a, 0}});
  builder.dispatch(builder.blocks(8, 2, 8, true), {{b, 0}, {a, 0}});
  build({.queues = 1});
  EXPECT_EQ(result.schedule.counterCount, 0u);
  for (const Record &record : records()) {
    EXPECT_EQ(record.waitCount, 0u);
    EXPECT_EQ(record.signalCount, 0u);
  }
}

TEST_F(ScheduleTest, LeavesOutWaitsThatAnotherImplies) {
  uint32_t a = builder.arena(32), b = builder.arena(32), c = builder.arena(32);
  builder.dispatch(builder.blocks(4, 1, 8), {{a, 0}});
  builder.dispatch(builder.blocks(4, 2, 8, true), {{b, 0}, {a, 0}});
  builder.dispatch(builder.blocks(4, 3, 8, true), {{c, 0}, {a, 0}, {b, 0}});
  build({.queues = 4});
  for (const Record &record : recordsOf(2))
    EXPECT_THAT(producersOf(record), ElementsAre(4, 5, 6, 7));
}

TEST_F(ScheduleTest, OrdersWritersAfterReaders) {
  uint32_t a = builder.arena(32), b = builder.arena(32);
  uint32_t writer = builder.blocks(4, 1, 8);
  builder.dispatch(writer, {{a, 0}});
  builder.dispatch(builder.blocks(4, 2, 8, true), {{b, 0}, {a, 0}});
  builder.dispatch(writer, {{a, 0}});
  build({.queues = 4});
  for (const Record &record : recordsOf(2))
    EXPECT_THAT(producersOf(record), ElementsAre(4, 5, 6, 7));
}

TEST_F(ScheduleTest, OrdersNothingBetweenReaders) {
  uint32_t in = builder.input(32), w = builder.weights(32);
  uint32_t kernel = builder.blocks(4, 3, 8, true);
  for (int i = 0; i < 4; ++i)
    builder.dispatch(kernel, {{builder.arena(32), 0}, {in, 0}, {w, 0}});
  build({.queues = 4});
  EXPECT_EQ(result.schedule.counterCount, 0u);
}

TEST_F(ScheduleTest, SpillsWaitsBeyondFourIntoEmptyRecords) {
  constexpr uint32_t kProducers = 10;
  std::vector<Operand> operands = {{builder.arena(8), 0}};
  uint32_t producer = builder.blocks(1, 1, 8);
  for (uint32_t i = 0; i < kProducers; ++i) {
    operands.push_back({builder.arena(8), 0});
    builder.dispatch(producer, {operands.back()});
  }
  builder.dispatch(builder.blocks(1, kProducers + 1, 8), operands);
  build({.queues = 16});
  // One producer is on the consumer's own queue.
  std::vector<Record> tail = recordsOf(kProducers);
  ASSERT_EQ(tail.size(), 3u);
  std::set<uint32_t> producers;
  for (const Record &record : tail)
    producers.merge(producersOf(record));
  EXPECT_EQ(producers.size(), kProducers - 1);
  for (size_t i = 0; i + 1 < tail.size(); ++i) {
    EXPECT_EQ(tail[i].tileCount, 0u);
    EXPECT_EQ(tail[i].waitCount, kMaxWaits);
    EXPECT_EQ(tail[i].signalCount, 0u);
  }
  EXPECT_EQ(tail[2].tileCount, 1u);
  EXPECT_EQ(tail[2].waitCount, 1u);
}

TEST_F(ScheduleTest, PutsOperandsBeyondSixIntoTheTable) {
  constexpr uint32_t kOperands = 9;
  std::vector<Operand> operands = {{builder.output(32), 0}};
  for (uint32_t i = 1; i < kOperands; ++i)
    operands.push_back({builder.input(64), i});
  uint32_t kernel = builder.blocks(4, kOperands, 8);
  builder.dispatch(kernel, operands);
  // Six still fit.
  operands.resize(kInlineOperands);
  operands[0] = {builder.output(32), 0};
  builder.dispatch(builder.blocks(4, kInlineOperands, 8), operands);
  build({.queues = 2});
  // The tiles of a dispatch share its part of the table.
  EXPECT_EQ(result.schedule.operandTable.size(),
            kOperands - (kInlineOperands - 1));
  for (const Record &record : recordsOf(0)) {
    EXPECT_EQ(result.view.operand(record, 0), OperandRef(Space::Output, 0, 0));
    for (uint16_t i = 1; i < kOperands; ++i)
      EXPECT_EQ(result.view.operand(record, i),
                OperandRef(Space::Input, i - 1, i));
  }
  for (const Record &record : recordsOf(1))
    EXPECT_EQ(result.view.operand(record, 5), OperandRef(Space::Input, 4, 5));
}

TEST_F(ScheduleTest, RanksAreATopologicalOrder) {
  uint32_t a = builder.arena(64), b = builder.arena(64);
  uint32_t kernel = builder.blocks(8, 2, 8, true);
  for (int i = 0; i < 6; ++i)
    builder.dispatch(kernel, {{i % 2 ? a : b, 0}, {i % 2 ? b : a, 0}});
  build({.queues = 5});
  std::set<uint32_t> ranks;
  for (size_t q = 0; q + 1 < result.schedule.queueStarts.size(); ++q)
    for (uint32_t r = result.schedule.queueStarts[q];
         r < result.schedule.queueStarts[q + 1]; ++r) {
      EXPECT_TRUE(ranks.insert(records()[r].rank).second);
      if (r > result.schedule.queueStarts[q]) {
        EXPECT_LT(records()[r - 1].rank, records()[r].rank);
      }
      for (uint32_t producer : producersOf(records()[r]))
        EXPECT_LT(producer, records()[r].rank);
    }
  EXPECT_EQ(*ranks.rbegin(), records().size() - 1);
}

TEST_F(ScheduleTest, SpreadsEqualTilesEvenly) {
  for (uint32_t queues : {1, 3, 16, 100}) {
    builder = {};
    builder.dispatch(builder.blocks(1200, 1, 8), {{builder.output(9600), 0}});
    build({.queues = queues});
    ASSERT_EQ(result.schedule.queueStarts.size(), queues + 1);
    for (uint32_t q = 0; q < queues; ++q)
      EXPECT_EQ(result.schedule.queueStarts[q + 1] -
                    result.schedule.queueStarts[q],
                1200 / queues);
  }
}

TEST_F(ScheduleTest, RunsIndependentWorkBesideACostlyTile) {
  AccessBuilder b;
  auto eight = b.constant(8), at = b.mul(b.tile(), eight);
  std::vector write = {b.entry(0, AccessMode::Write, at, {}, eight)};
  uint32_t costly = builder.kernel(1, 1, b, write, 1e6);
  uint32_t cheap = builder.kernel(1, 1, b, write, 1e3);
  builder.dispatch(costly, {{builder.output(8), 0}});
  for (int i = 0; i < 10; ++i)
    builder.dispatch(cheap, {{builder.output(8), 0}});
  build({.queues = 2});
  EXPECT_THAT(result.schedule.queueStarts, ElementsAre(0, 1, 11));
}

/// Hundreds of dispatches that share one buffer: a scheduler that looks at all
/// tiles of all of them for each tile would take minutes here.
TEST_F(ScheduleTest, FollowsALongChainInOneBuffer) {
  constexpr uint32_t kLength = 400, kTiles = 128;
  uint32_t state = builder.arena(2 * 8 * kTiles);
  uint32_t kernel = builder.blocks(kTiles, 2, 8, /*readAll=*/true);
  for (uint32_t i = 0; i < kLength; ++i)
    builder.dispatch(kernel, {{state, i % 2 * 8 * kTiles},
                              {state, (i + 1) % 2 * 8 * kTiles}});
  build({.queues = 16});
  // The first record of a link on each queue waits for the link before; the
  // queue's order does the rest.
  uint32_t waits = 0;
  for (const Record &record : recordsOf(kLength - 1)) {
    waits += record.waitCount;
    EXPECT_THAT(targetsOf(record), Each(kTiles));
  }
  EXPECT_EQ(waits, 16u);
}

TEST_F(ScheduleTest, RefusesMoreOperandsThanARecordHolds) {
  std::vector<Operand> operands(256, {builder.input(8), 0});
  operands[0] = {builder.output(8), 0};
  builder.dispatch(builder.blocks(1, 256, 8), operands);
  Schedule schedule;
  EXPECT_EQ(buildSchedule(builder.graph, {}, schedule),
            "dispatch 0: 256 operands, a record holds at most 255");
}

TEST_F(ScheduleTest, NamesAnAccessThatCannotBeEvaluated) {
  AccessBuilder b;
  auto huge = b.mul(b.tile(), b.constant(INT64_MAX)), one = b.constant(1);
  uint32_t kernel =
      builder.kernel(3, 1, b, {b.entry(0, AccessMode::Write, huge, {}, one)});
  builder.dispatch(builder.blocks(1, 1, 8), {{builder.arena(8), 0}});
  builder.dispatch(kernel, {{builder.arena(8), 0}});
  Schedule schedule;
  EXPECT_EQ(buildSchedule(builder.graph, {}, schedule),
            "dispatch 1: the access of operand 0 at tile 1 cannot be "
            "evaluated");
}

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

TEST_F(ScheduleTest, ReusesTheArenaAlongAChain) {
  constexpr uint32_t kLength = 40;
  uint32_t kernel = builder.blocks(16, 2, 64, /*readAll=*/true);
  uint32_t from = builder.input(1024);
  for (uint32_t i = 0; i < kLength; ++i) {
    uint32_t to = builder.arena(1024);
    builder.dispatch(kernel, {{to, 0}, {from, 0}});
    from = to;
  }
  build({.queues = 8});
  // A link's own two buffers, and the one before, whose readers another queue
  // may not be known to have finished.
  EXPECT_LE(result.schedule.arenaBytes, 3 * 1024u);
}

TEST_F(ScheduleTest, SharesNoBytesBetweenParallelBranches) {
  uint32_t in = builder.input(8);
  uint32_t kernel = builder.blocks(1, 2, 8);
  std::vector<uint32_t> branches;
  for (int i = 0; i < 4; ++i) {
    branches.push_back(builder.arena(8));
    builder.dispatch(kernel, {{branches.back(), 0}, {in, 0}});
  }
  build({.queues = 4});
  std::set<uint64_t> offsets;
  for (uint32_t buffer : branches)
    offsets.insert(builder.graph.buffers[buffer].offset);
  EXPECT_EQ(offsets.size(), branches.size());
}
