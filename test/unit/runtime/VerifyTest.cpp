//===- VerifyTest.cpp - The verifier against the oracle -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Verify.h"

#include "test/unit/runtime/Oracle.h"
#include "test/unit/runtime/RandomSchedule.h"
#include "test/unit/runtime/TestPackage.h"
#include "test/unit/runtime/mutate.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

using namespace mkrt::format;
using namespace mkrt::test;
using namespace mkrt::verify;
using testing::HasSubstr;

namespace {
/// A package's bytes, aligned, and their view.
struct Opened {
  std::vector<Record> storage; ///< Aligned to 16.
  std::vector<std::byte> bytes;
  PackageView view;
  std::string error;
};
} // namespace

static Opened opened(const PackageParts &parts) {
  Opened result;
  std::vector<std::byte> &bytes = result.bytes;
  bytes = encodePackage(parts, {}, kRandomWeightBytes);
  result.storage.resize(bytes.size() / sizeof(Record) + 1);
  auto *data = reinterpret_cast<std::byte *>(result.storage.data());
  std::copy(bytes.begin(), bytes.end(), data);
  result.error = PackageView::open({data, bytes.size()}, result.view);
  return result;
}

/// What the oracle must say when the verifier says this.
static Verdict expectedVerdict(const VerifyResult &result) {
  switch (result.failure) {
  case Failure::None:
    return Verdict::Sound;
  case Failure::Unsupported:
    return Verdict::Unknown;
  case Failure::TooLarge: // Random schedules are small.
    break;
  case Failure::Overflow:
  case Failure::Bounds:
  case Failure::ReadOnly:
    return Verdict::Access;
  case Failure::Starved:
  case Failure::Oversignalled:
    return Verdict::Totals;
  case Failure::Deadlock:
    return Verdict::Deadlock;
  case Failure::Rank:
    return Verdict::Rank;
  case Failure::Race:
    return Verdict::Race;
  }
  ADD_FAILURE() << "unexpected: " << result.message;
  return Verdict::Sound;
}

/// Limits so small that a small schedule reaches every path, or the usual ones.
static VerifyOptions randomOptions(Random &random) {
  VerifyOptions options;
  if (pick(random, 4) == 0)
    return options;
  options.boxesPerGroup = 1 + uint32_t(pick(random, 4));
  options.retireInterval = 1 + uint32_t(pick(random, 6));
  options.sparsePositions = 1 + uint32_t(pick(random, 3));
  options.joinedAbove = uint32_t(pick(random, 4));
  options.memoizedCrossings = 1 + uint32_t(pick(random, 8));
  return options;
}

static uint64_t mutantCount() {
  const char *text = std::getenv("MKC_MUTANTS");
  return text ? std::strtoull(text, nullptr, 10) : 20000;
}

TEST(Verify, AgreesWithTheOracleOnMutants) {
  const uint64_t count = mutantCount();
  uint64_t unreadable = 0, refused = 0, equivalent = 0, missed = 0, wrong = 0,
           otherReason = 0, soundBases = 0, bases = 0;
  std::map<Verdict, uint64_t> verdicts;
  for (uint64_t seed = 0, done = 0; done < count; ++seed) {
    Random random(seed);
    PackageParts base = randomSchedule(random);
    const Opened unchanged = opened(base);
    ASSERT_EQ(unchanged.error, "") << "seed " << seed;
    ++bases;
    for (int variant = 0; variant < 8 && done < count; ++variant) {
      PackageParts parts = base;
      std::string what = "unchanged";
      if (variant) {
        std::optional<std::string> first = mutate(parts, random);
        if (!first)
          continue;
        what = *first;
        if (pick(random, 4) == 0)
          if (std::optional<std::string> second = mutate(parts, random))
            what += "; " + *second;
      }
      Opened package = opened(parts);
      if (!package.error.empty()) {
        ++unreadable;
        continue;
      }
      if (variant && package.bytes == unchanged.bytes)
        continue;
      VerifyOptions options = randomOptions(random);
      VerifyResult result = verifySchedule(package.view, options);
      Verdict verdict = judge(package.view);
      EXPECT_EQ(judge(package.view, /*allPairs=*/false), verdict)
          << "the oracles differ: seed " << seed << ", variant " << variant;
      // The schedule as it was is judged too, but is no mutant.
      bool sound = verdict == Verdict::Sound;
      if (variant) {
        ++done;
        ++verdicts[verdict];
      } else {
        soundBases += sound;
      }
      if (sound)
        result.ok ? equivalent += variant != 0 : ++wrong;
      else
        result.ok ? ++missed : refused += variant != 0;
      otherReason += expectedVerdict(result) != verdict;
      EXPECT_EQ(verdictName(expectedVerdict(result)), verdictName(verdict))
          << "seed " << seed << ", variant " << variant << ": " << what << "\n"
          << result.message;
    }
  }
  std::printf("%llu mutants of %llu schedules (%llu sound): %llu refused, %llu "
              "equivalent, %llu missed, %llu wrongly refused; %llu more were "
              "unreadable\n",
              (unsigned long long)count, (unsigned long long)bases,
              (unsigned long long)soundBases, (unsigned long long)refused,
              (unsigned long long)equivalent, (unsigned long long)missed,
              (unsigned long long)wrong, (unsigned long long)unreadable);
  for (auto [verdict, n] : verdicts)
    std::printf("  %s: %llu\n", std::string(verdictName(verdict)).c_str(),
                (unsigned long long)n);
  EXPECT_EQ(missed, 0u);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(otherReason, 0u);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static OperandRef arena(uint64_t offset) { return {Space::Arena, 0, offset}; }

/// Producer of 4 tiles of 8 bytes on queue 0, consumer of all 32 bytes on
/// queue 1.
static TestPackage producerAndConsumer(std::vector<Wait> waits) {
  TestPackage p(2);
  p.parts.program.arenaBytes = 64;
  AccessBuilder b;
  auto eight = b.constant(8);
  uint32_t producer =
      p.kernel("produce", 4, 1, b,
               std::vector{b.entry(0, AccessMode::Write, b.mul(b.tile(), eight),
                                   {}, eight)});
  AccessBuilder c;
  auto zero = c.constant(0), all = c.constant(32);
  uint32_t consumer =
      p.kernel("consume", 1, 1, c,
               std::vector{c.entry(0, AccessMode::Read, zero, {}, all)});
  p.record(0, producer, {arena(0)}, {}, {{0, 1}}, "/conv").tileCount = 2;
  Record &second = p.record(0, producer, {arena(0)}, {}, {{1, 1}}, "/conv");
  second.tileStart = 2;
  second.tileCount = 2;
  p.record(1, consumer, {arena(0)}, waits, {}, "/relu");
  return p;
}

static VerifyResult resultOf(TestPackage &p) {
  Opened package = opened(p.finish());
  EXPECT_EQ(package.error, "");
  return verifySchedule(package.view);
}

TEST(Verify, AcceptsAndCounts) {
  TestPackage p = producerAndConsumer({{0, 1}, {1, 1}});
  VerifyResult result = resultOf(p);
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.statistics.records, 3u);
  EXPECT_EQ(result.statistics.waits, 2u);
  EXPECT_EQ(result.statistics.tiles, 5u);
  // The two tiles of a producer are one run of bytes.
  EXPECT_EQ(result.statistics.boxes, 3u);
  // The edge from the first producer is implied by queue order.
  p = producerAndConsumer({{1, 1}});
  EXPECT_TRUE(resultOf(p).ok);
}

TEST(Verify, NamesARace) {
  TestPackage p = producerAndConsumer({{0, 1}});
  VerifyResult result = resultOf(p);
  EXPECT_EQ(result.failure, Failure::Race);
  const std::string pair =
      "record 1 (queue 0, position 1, node '/conv') and record 2 (queue 1, "
      "position 0, node '/relu') both touch byte 16 of the arena: in the "
      "first, "
      "tile 2 writes it through operand 0, in the second, tile 0 reads it "
      "through operand 0, and nothing orders them; the second must be behind "
      "position 1 of queue 0";
  EXPECT_EQ(result.message.substr(0, pair.size()), pair);
  // The consumer is found behind the second producer here: its clock is known.
  p = producerAndConsumer({{0, 1}});
  uint32_t nothing = p.kernel("nothing", 1, 0);
  p.record(1, nothing, {});
  PackageParts &parts = p.finish();
  std::swap(parts.records[2], parts.records[3]);
  std::swap(parts.records[2].rank, parts.records[3].rank);
  std::swap(parts.recordDispatch[2], parts.recordDispatch[3]);
  Opened package = opened(parts);
  EXPECT_THAT(verifySchedule(package.view).message,
              HasSubstr("behind position 1 of queue 0, it is only behind "
                        "position 0"));
}

TEST(Verify, NamesABadTarget) {
  TestPackage p = producerAndConsumer({{0, 1}, {1, 2}});
  VerifyResult result = resultOf(p);
  EXPECT_EQ(result.failure, Failure::Starved);
  EXPECT_EQ(result.message,
            "record 2 (queue 1, position 0, node '/relu') waits for counter 1 "
            "to reach 2, but all its signals add up to 1");
  p = producerAndConsumer({{1, 0}});
  EXPECT_EQ(resultOf(p).failure, Failure::Oversignalled);
}

TEST(Verify, NamesACycle) {
  TestPackage p(2);
  uint32_t kernel = p.kernel("nothing", 1, 0);
  p.record(0, kernel, {}, {{1, 1}}, {{0, 1}}, "a");
  p.record(1, kernel, {}, {{0, 1}}, {}, "b");
  p.record(1, kernel, {}, {}, {{1, 1}}, "c");
  VerifyResult result = resultOf(p);
  EXPECT_EQ(result.failure, Failure::Deadlock);
  EXPECT_EQ(result.message,
            "the schedule has a cycle: record 0 (queue 0, position 0, node "
            "'a') waits for counter 1, which record 2 (queue 1, position 1, "
            "node 'c') signals, behind record 1 in its queue; record 1 (queue "
            "1, position 0, node 'b') waits for counter 0, which record 0 "
            "(queue 0, position 0, node 'a') signals");
}

TEST(Verify, NamesABadRank) {
  TestPackage p = producerAndConsumer({{1, 1}});
  PackageParts &parts = p.finish();
  std::swap(parts.records[1].rank, parts.records[2].rank);
  Opened package = opened(parts);
  VerifyResult result = verifySchedule(package.view);
  EXPECT_EQ(result.failure, Failure::Rank);
  EXPECT_THAT(result.message,
              HasSubstr("has rank 1 and waits for counter 1, which record 1 "
                        "(queue 0, position 1, node '/conv') of rank 2"));
}

TEST(Verify, NamesAccessesOutOfBounds) {
  TestPackage p = producerAndConsumer({{1, 1}});
  p.parts.program.arenaBytes = 31;
  VerifyResult result = resultOf(p);
  EXPECT_EQ(result.failure, Failure::Bounds);
  EXPECT_EQ(result.message,
            "record 1 (queue 0, position 1, node '/conv'), tile 3, operand 0: "
            "bytes [24, 32) lie outside of the arena, which has 31 bytes");
}

TEST(Verify, NamesWritesToWeights) {
  TestPackage p(1);
  AccessBuilder b;
  auto zero = b.constant(0), one = b.constant(1);
  uint32_t kernel =
      p.kernel("write", 1, 1, b,
               std::vector{b.entry(0, AccessMode::ReadWrite, zero, {}, one)});
  p.record(0, kernel, {{Space::Weights, 0, 0}}, {}, {}, "w");
  VerifyResult result = resultOf(p);
  EXPECT_EQ(result.failure, Failure::ReadOnly);
  EXPECT_EQ(result.message, "record 0 (queue 0, position 0, node 'w') writes "
                            "the weights through operand 0");
}

TEST(Verify, NamesAccessesThatOverflow) {
  TestPackage p(1);
  p.parts.program.arenaBytes = 64;
  AccessBuilder b;
  auto huge = b.mul(b.tile(), b.constant(INT64_MAX)), one = b.constant(1);
  uint32_t kernel =
      p.kernel("huge", 3, 1, b,
               std::vector{b.entry(0, AccessMode::Read, huge, {}, one)});
  p.record(0, kernel, {arena(0)}, {}, {}, "h");
  VerifyResult result = resultOf(p);
  EXPECT_EQ(result.failure, Failure::Overflow);
  EXPECT_THAT(result.message,
              HasSubstr("tile 1, operand 0: the access cannot be evaluated"));
}

/// A kernel that reads `bytes` bytes through operand 0 and writes as many
/// through operand 1, every other 4 bytes of both.
static uint32_t everyOther(TestPackage &p, int64_t bytes) {
  AccessBuilder b;
  auto four = b.constant(4);
  AccessBuilder::Dim dims[] = {{b.constant(bytes / 8), b.constant(8)}};
  std::vector<AccessEntry> entries = {
      b.entry(0, AccessMode::Read, b.constant(0), dims, four),
      b.entry(1, AccessMode::Write, b.constant(0), dims, four)};
  for (AccessEntry &entry : entries)
    entry.instrCount = uint16_t(b.code().size());
  return p.kernel("every other", 1, 2, b, entries);
}

static VerifyResult resultOfOperands(uint64_t from, uint64_t to) {
  TestPackage p(1);
  p.parts.program.arenaBytes = 4096;
  uint32_t kernel = everyOther(p, 1024);
  p.record(0, kernel, {arena(from), arena(to)}, {}, {}, "/mul");
  return resultOf(p);
}

TEST(Verify, RefusesAnOutputOverAnInputOfItsOwnRecord) {
  EXPECT_TRUE(resultOfOperands(0, 1024).ok);
  EXPECT_TRUE(resultOfOperands(1024, 0).ok);
  EXPECT_TRUE(resultOfOperands(0, 4).ok) << "interleaved, but apart";
  EXPECT_EQ(resultOfOperands(0, 0).failure, Failure::Race);
  EXPECT_EQ(resultOfOperands(0, 1017).failure, Failure::Race);
  VerifyResult result = resultOfOperands(256, 96);
  EXPECT_EQ(result.failure, Failure::Race);
  EXPECT_EQ(result.message,
            "record 0 (queue 0, position 0, node '/mul') touches byte 256 of "
            "the arena through two operands: operand 0 at byte 256, which it "
            "reads, and operand 1 at byte 96, which it writes; nothing orders "
            "a kernel's own reads and writes");
}

/// What a kernel does with the bytes of one operand is its own business, and
/// operands that are only read may share bytes.
TEST(Verify, AcceptsReadsAndWritesThroughOneOperand) {
  TestPackage p(1);
  p.parts.program.arenaBytes = 64;
  AccessBuilder b;
  auto zero = b.constant(0), all = b.constant(32);
  std::vector<AccessEntry> entries = {
      b.entry(0, AccessMode::Read, zero, {}, all),
      b.entry(0, AccessMode::Write, zero, {}, all),
      b.entry(1, AccessMode::Read, zero, {}, all),
      b.entry(2, AccessMode::Read, zero, {}, all)};
  uint32_t kernel = p.kernel("k", 1, 3, b, entries);
  p.record(0, kernel, {arena(0), arena(32), arena(32)});
  VerifyResult result = resultOf(p);
  EXPECT_TRUE(result.ok) << result.message;
}

TEST(Verify, RefusesRecordsWhoseMeaningItDoesNotKnow) {
  for (Opcode opcode : {Opcode::Loop, Opcode::Claim}) {
    TestPackage p = producerAndConsumer({{0, 1}, {1, 1}});
    PackageParts &parts = p.finish();
    parts.records[1].opcode = opcode;
    Opened package = opened(parts);
    VerifyResult result = verifySchedule(package.view);
    EXPECT_EQ(result.failure, Failure::Unsupported);
    EXPECT_EQ(result.message,
              "record 1 (queue 0, position 1, node '/conv') has opcode " +
                  std::to_string(unsigned(opcode)) +
                  ", the verifier knows 1 (run) only");
  }
  for (unsigned slot = 0; slot < kInlineOperands; ++slot)
    for (Handoff handoff : {Handoff::FlagInData, Handoff::Page}) {
      TestPackage p = producerAndConsumer({{0, 1}, {1, 1}});
      PackageParts &parts = p.finish();
      parts.records[2].handoff[slot] = handoff;
      Opened package = opened(parts);
      VerifyResult result = verifySchedule(package.view);
      EXPECT_EQ(result.failure, Failure::Unsupported);
      EXPECT_EQ(result.message,
                "record 2 (queue 1, position 0, node '/relu') has hand-off "
                "kind " +
                    std::to_string(unsigned(handoff)) +
                    ", the verifier knows 0 (counter) only");
    }
}

//===----------------------------------------------------------------------===//
// Small packages that would take hours or more memory than there is
//===----------------------------------------------------------------------===//

TEST(Verify, BoundsTheInstructionsToEvaluate) {
  TestPackage p(1);
  p.parts.program.arenaBytes = 64;
  AccessBuilder b;
  auto at = b.mod(b.tile(), b.constant(7)), one = b.constant(1);
  uint32_t kernel =
      p.kernel("k", UINT32_MAX, 1, b,
               std::vector{b.entry(0, AccessMode::Write, at, {}, one)});
  p.record(0, kernel, {arena(0)});
  VerifyResult result = resultOf(p);
  EXPECT_EQ(result.failure, Failure::TooLarge);
  EXPECT_THAT(result.message, HasSubstr("instructions to evaluate"));
}

/// Tiles whose boxes form no progression.
static uint32_t scattered(TestPackage &p, uint32_t tiles) {
  AccessBuilder b;
  auto at = b.mod(b.mul(b.tile(), b.tile()), b.constant((1 << 28) - 57));
  return p.kernel(
      "k", tiles, 1, b,
      std::vector{b.entry(0, AccessMode::Write, at, {}, b.constant(1))});
}

TEST(Verify, BoundsTheBoxesOfOneRecord) {
  TestPackage p(1);
  p.parts.program.arenaBytes = 1 << 28;
  p.record(0, scattered(p, 1 << 24), {arena(0)});
  VerifyResult result = resultOf(p);
  EXPECT_EQ(result.failure, Failure::TooLarge);
  EXPECT_THAT(result.message, HasSubstr("boxes that the verifier allows"));
}

TEST(Verify, BoundsTheBoxesOfRecordsThatShareThem) {
  TestPackage p(1);
  p.parts.program.arenaBytes = 1 << 28;
  uint32_t kernel = scattered(p, 1 << 16);
  for (int i = 0; i < 1000; ++i)
    p.record(0, kernel, {arena(0)});
  VerifyResult result = resultOf(p);
  EXPECT_EQ(result.failure, Failure::TooLarge);
  EXPECT_THAT(result.message, HasSubstr("boxes that the verifier allows"));
}

/// Boxes whose copies lie in each other's gaps, so that each copy is looked at.
static AccessEntry interleaved(AccessBuilder &b, unsigned operand, int64_t at,
                               int64_t innerStride) {
  AccessBuilder::Dim dims[] = {{b.constant(1 << 16), b.constant(1000)},
                               {b.constant(10), b.constant(innerStride)}};
  return b.entry(operand, AccessMode::Write, b.constant(at), dims,
                 b.constant(1));
}

static void expectStepsAreBounded(TestPackage &p) {
  Opened package = opened(p.finish());
  ASSERT_EQ(package.error, "");
  EXPECT_TRUE(verifySchedule(package.view).ok);
  VerifyOptions options;
  options.comparisonSteps = 1000;
  VerifyResult result = verifySchedule(package.view, options);
  EXPECT_EQ(result.failure, Failure::TooLarge);
  EXPECT_THAT(result.message, HasSubstr("steps"));
}

TEST(Verify, BoundsTheStepsOfComparingRecords) {
  TestPackage p(2);
  p.parts.program.arenaBytes = 1 << 26;
  for (unsigned queue : {0u, 1u}) {
    AccessBuilder b;
    AccessEntry entry = interleaved(b, 0, 30 * queue, 2 + queue);
    p.record(queue, p.kernel("k", 1, 1, b, {entry}), {arena(0)});
  }
  expectStepsAreBounded(p);
}

TEST(Verify, BoundsTheStepsOfComparingOperands) {
  TestPackage p(1);
  p.parts.program.arenaBytes = 1 << 26;
  AccessBuilder b;
  std::vector<AccessEntry> entries = {interleaved(b, 0, 0, 2),
                                      interleaved(b, 1, 30, 3)};
  for (AccessEntry &entry : entries)
    entry.instrCount = uint16_t(b.code().size());
  p.record(0, p.kernel("k", 1, 2, b, entries), {arena(0), arena(0)});
  expectStepsAreBounded(p);
}

TEST(Verify, TakesRowsForQueuesWithRecordsOnly) {
  TestPackage p(200000);
  uint32_t kernel = p.kernel("nothing", 1, 0);
  for (unsigned queue : {0u, 77777u, 199999u})
    p.record(queue, kernel, {}, {}, {}, "n");
  EXPECT_TRUE(resultOf(p).ok);
}

TEST(Verify, NamesQueuesByTheirNumbersInThePackage) {
  TestPackage p(9);
  p.parts.program.arenaBytes = 4096;
  uint32_t kernel = everyOther(p, 64);
  p.record(3, kernel, {arena(0), arena(64)}, {}, {}, "a");
  p.record(7, kernel, {arena(64), arena(128)}, {}, {}, "b");
  VerifyResult result = resultOf(p);
  EXPECT_EQ(result.failure, Failure::Race);
  EXPECT_THAT(result.message, HasSubstr("(queue 3, position 0, node 'a')"));
  EXPECT_THAT(result.message, HasSubstr("(queue 7, position 0, node 'b')"));
  EXPECT_THAT(result.message,
              HasSubstr("must be behind position 0 of queue 3"));
}

TEST(Verify, AcceptsAnEmptySchedule) {
  TestPackage p(3);
  EXPECT_TRUE(resultOf(p).ok);
}
