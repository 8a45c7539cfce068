//===- CudaChipTest.cpp - Rows of chips -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "target/CudaChip.h"

#include "runtime/format/DeviceAbi.h"

#include <gmock/gmock.h>
#include <map>
#include <set>

using namespace mkc;
using namespace testing;
namespace format = mkrt::format;

static const CudaChip &chip(std::string_view target) {
  std::string error;
  const CudaChip *found = findCudaChip(target, error);
  EXPECT_NE(found, nullptr) << error;
  return *found;
}

// Tests that an architecture names its first chip, and a chip itself.
TEST(CudaChip, Lookup) {
  EXPECT_EQ(chip("sm_90a").name, "h100");
  EXPECT_EQ(chip("sm_90a:h200").name, "h200");
  EXPECT_EQ(chip("sm_120a:rtxpro6000").sms, 188u);
  for (const CudaChip &row : cudaChips())
    EXPECT_EQ(&chip(row.target()), &row);
}

// Tests that an unknown name is refused with what exists.
TEST(CudaChip, UnknownNames) {
  std::string error;
  EXPECT_EQ(findCudaChip("sm_90", error), nullptr);
  EXPECT_EQ(error, "unknown architecture 'sm_90'; there are: sm_80, sm_86, "
                   "sm_89, sm_90a, sm_100a, sm_103a, sm_107a, sm_120a");
  EXPECT_EQ(findCudaChip("sm_90a:b200", error), nullptr);
  EXPECT_EQ(error, "unknown chip 'b200' of sm_90a; there are: h100, h200");
  EXPECT_EQ(findCudaChip("sm_90a:", error), nullptr);
  EXPECT_EQ(error, "unknown chip '' of sm_90a; there are: h100, h200");
  EXPECT_EQ(findCudaChip("", error), nullptr);
}

// Tests that every architecture has a chip and every name is unique.
TEST(CudaChip, EveryArchitectureHasAChip) {
  std::set<std::string_view> names, architectures;
  for (const CudaChip &row : cudaChips()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    architectures.insert(row.architecture->name);
    EXPECT_GT(row.sms, 0u);
    EXPECT_GT(row.clock, 1e9);
    EXPECT_GT(row.bandwidth, 1e11);
    EXPECT_GT(row.l2Bytes, uint64_t(1) << 20);
    EXPECT_GT(row.signalNs, 0);
  }
  EXPECT_EQ(architectures.size(), cudaArchitectures().size());
}

// Tests that limits belong to a row and don't grow with its number: sm_120 has
// less shared memory than sm_90, sm_86 less than sm_80, sm_107 more than both.
TEST(CudaChip, PagesFollowFromTheRow) {
  std::map<std::string_view, unsigned> pages;
  for (const CudaChip &row : cudaChips())
    pages[row.architecture->name] = row.pages();
  EXPECT_THAT(pages,
              UnorderedElementsAre(Pair("sm_80", 8), Pair("sm_86", 4),
                                   Pair("sm_89", 4), Pair("sm_90a", 12),
                                   Pair("sm_100a", 12), Pair("sm_103a", 12),
                                   Pair("sm_107a", 18), Pair("sm_120a", 4)));
}

// Tests that the pages are as many as fit, and not one less.
TEST(CudaChip, PagesFillTheSharedMemory) {
  for (const CudaChip &row : cudaChips()) {
    uint32_t limit = row.architecture->sharedPerBlock;
    EXPECT_LE(row.sharedBytes(), limit) << row.name;
    EXPECT_GT(format::sharedBytes(row.pages() + 1), limit) << row.name;
    EXPECT_LE(limit, row.architecture->sharedPerSm) << row.name;
  }
}

// Tests that a block with the budget is resident, and that one step more of
// registers, or one byte more of shared memory, is refused with both numbers.
TEST(CudaChip, CoResidencyIsTight) {
  for (const CudaChip &row : cudaChips()) {
    uint32_t budget = row.registerBudget();
    EXPECT_EQ(budget, 168u) << row.name;
    EXPECT_EQ(row.checkCoResident(budget, row.sharedBytes()), "");
    EXPECT_THAT(row.checkCoResident(budget + 8, row.sharedBytes()),
                HasSubstr("a block needs 67584 registers, an SM has 65536"));
    uint32_t limit = row.architecture->sharedPerBlock;
    EXPECT_EQ(row.checkCoResident(budget, limit), "");
    EXPECT_THAT(row.checkCoResident(budget, limit + 1),
                HasSubstr("a block needs " + std::to_string(limit + 1) +
                          " bytes of shared memory, an SM has " +
                          std::to_string(limit)));
  }
}
