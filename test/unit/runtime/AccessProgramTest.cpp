//===- AccessProgramTest.cpp - Access programs ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/AccessProgram.h"

#include <gtest/gtest.h>
#include <random>

using namespace mkrt::format;

static AccessEntry scalar(const AccessBuilder &b, AccessBuilder::Value offset) {
  return b.entry(0, AccessMode::Read, offset, {}, offset);
}

/// The value that `v` has for a tile.
static std::optional<int64_t> valueOf(const AccessBuilder &b,
                                      AccessBuilder::Value v, uint64_t tile,
                                      std::vector<int64_t> dims = {}) {
  AccessEntry entry = scalar(b, v);
  EXPECT_EQ(validateAccess(entry, b.code()), "");
  std::optional<ByteBox> box = evaluateAccess(entry, b.code(), tile, dims);
  if (!box)
    return std::nullopt;
  return box->offset;
}

TEST(AccessProgram, EvaluatesABox) {
  AccessBuilder b;
  auto row = b.floorDiv(b.tile(), b.constant(4));
  auto column = b.mod(b.tile(), b.constant(4));
  auto offset =
      b.add(b.mul(row, b.constant(4096)), b.mul(column, b.constant(64)));
  AccessBuilder::Dim dims[] = {{b.constant(8), b.constant(512)}};
  AccessEntry entry =
      b.entry(2, AccessMode::ReadWrite, offset, dims, b.constant(64));
  ASSERT_EQ(validateAccess(entry, b.code()), "");
  std::optional<ByteBox> box = evaluateAccess(entry, b.code(), 7);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->offset, 4096 + 3 * 64);
  EXPECT_EQ(box->innerBytes, 64);
  ASSERT_EQ(box->rank, 1u);
  EXPECT_EQ(box->size[0], 8);
  EXPECT_EQ(box->stride[0], 512);
  EXPECT_EQ(box->hull(),
            std::pair(int64_t(4288), int64_t(4288 + 7 * 512 + 64)));
}

TEST(AccessProgram, DividesDownwards) {
  for (int64_t a : {-9, -8, -1, 0, 1, 7, 8}) {
    AccessBuilder b;
    auto x = b.add(b.tile(), b.constant(a)); // Not folded: tile is 0 below.
    auto eight = b.constant(8);
    int64_t quotient = a >= 0 ? a / 8 : -((-a + 7) / 8);
    EXPECT_EQ(valueOf(b, b.floorDiv(x, eight), 0), quotient) << a;
    EXPECT_EQ(valueOf(b, b.mod(x, eight), 0), a - 8 * quotient) << a;
    EXPECT_EQ(valueOf(b, b.floorDiv(b.constant(a), eight), 0), quotient) << a;
    EXPECT_EQ(valueOf(b, b.mod(b.constant(a), eight), 0), a - 8 * quotient);
  }
}

TEST(AccessProgram, SelectsAndBounds) {
  AccessBuilder b;
  auto t = b.tile();
  EXPECT_EQ(valueOf(b, b.min(t, b.constant(3)), 5), 3);
  EXPECT_EQ(valueOf(b, b.max(t, b.constant(3)), 5), 5);
  auto isPositive = b.select(t, b.constant(10), b.constant(20));
  EXPECT_EQ(valueOf(b, isPositive, 1), 10);
  EXPECT_EQ(valueOf(b, isPositive, 0), 20);
}

TEST(AccessProgram, FailsOnOverflowBadDivisorsAndMissingDims) {
  using B = AccessBuilder;
  using Value = B::Value;
  // Each in a program of its own: one failing instruction fails a program.
  auto value = [](Value (*make)(B &, Value tile, Value big), uint64_t tile) {
    B b;
    Value t = b.tile(), big = b.constant(INT64_MAX);
    return valueOf(b, make(b, t, big), tile, {5, 6});
  };
  auto add = [](B &b, Value t, Value big) { return b.add(t, big); };
  EXPECT_EQ(value(add, 1), std::nullopt);
  EXPECT_EQ(value(add, 0), INT64_MAX);
  auto mul = [](B &b, Value t, Value big) { return b.mul(t, big); };
  EXPECT_EQ(value(mul, 2), std::nullopt);
  auto div = [](B &b, Value t, Value big) { return b.floorDiv(big, t); };
  EXPECT_EQ(value(div, 0), std::nullopt);
  EXPECT_EQ(value(div, 1), INT64_MAX);
  auto mod = [](B &b, Value t, Value big) {
    return b.mod(big, b.mul(t, b.constant(-1)));
  };
  EXPECT_EQ(value(mod, 1), std::nullopt);
  auto tile = [](B &, Value t, Value) { return t; };
  EXPECT_EQ(value(tile, uint64_t(1) << 63), std::nullopt);
  auto dim1 = [](B &b, Value, Value) { return b.dim(1); };
  EXPECT_EQ(value(dim1, 0), 6);
  auto dim2 = [](B &b, Value, Value) { return b.dim(2); };
  EXPECT_EQ(value(dim2, 0), std::nullopt);
  // Constants whose sum overflows are not folded.
  auto fold = [](B &b, Value, Value big) { return b.add(big, b.constant(1)); };
  EXPECT_EQ(value(fold, 0), std::nullopt);
}

TEST(AccessProgram, SharesAndFolds) {
  AccessBuilder b;
  auto t = b.tile();
  EXPECT_EQ(b.mul(t, b.constant(1)), t);
  EXPECT_EQ(b.add(b.constant(0), t), t);
  EXPECT_EQ(b.floorDiv(t, b.constant(1)), t);
  EXPECT_EQ(b.mod(t, b.constant(1)), b.constant(0));
  EXPECT_EQ(b.mul(b.constant(6), b.constant(7)), b.constant(42));
  auto sum = b.add(t, b.constant(5));
  size_t size = b.code().size();
  EXPECT_EQ(b.add(b.constant(5), t), sum);
  EXPECT_EQ(b.code().size(), size);
}

TEST(AccessProgram, RefusesBadCode) {
  AccessBuilder b;
  auto sum = b.add(b.tile(), b.constant(4));
  AccessEntry good = scalar(b, sum);
  std::vector<AccessInstr> code(b.code().begin(), b.code().end());
  ASSERT_EQ(validateAccess(good, code), "");

  AccessEntry entry = good;
  entry.offset = 3;
  EXPECT_EQ(validateAccess(entry, code), "access uses register 3 of 3");
  entry = good;
  entry.firstInstr = 1;
  EXPECT_EQ(validateAccess(entry, code),
            "access code [1, +3) lies outside the 3 instructions");
  entry = good;
  entry.rank = 7;
  EXPECT_EQ(validateAccess(entry, code),
            "access has a box of rank 7, the most is 6");
  entry = good;
  entry.mode = AccessMode(4);
  EXPECT_EQ(validateAccess(entry, code), "access has unknown mode 4");
  auto bad = code;
  bad[2].b = 2;
  EXPECT_EQ(
      validateAccess(good, bad),
      "access instruction 2 reads register 2, which is not defined before it");
  bad = code;
  bad[1].op = AccessOp(10);
  EXPECT_EQ(validateAccess(good, bad),
            "access instruction 1 has unknown opcode 10");
}

TEST(AccessProgram, Prints) {
  AccessBuilder b;
  auto offset = b.mul(b.tile(), b.constant(64));
  AccessBuilder::Dim dims[] = {{b.constant(4), b.constant(256)}};
  AccessEntry entry =
      b.entry(1, AccessMode::Write, offset, dims, b.constant(64));
  EXPECT_EQ(printAccess(entry, b.code()), "%0 = tile\n"
                                          "%1 = constant 64\n"
                                          "%2 = mul %0, %1\n"
                                          "%3 = constant 4\n"
                                          "%4 = constant 256\n"
                                          "write operand 1: offset %2, %3 x "
                                          "stride %4, %1 bytes\n");
}

TEST(ByteBox, HullFollowsNegativeStridesAndRefusesOverflow) {
  ByteBox box;
  box.offset = 100;
  box.innerBytes = 4;
  box.rank = 2;
  box.size[0] = 3, box.stride[0] = -8;
  box.size[1] = 2, box.stride[1] = 32;
  EXPECT_EQ(box.hull(), std::pair(int64_t(84), int64_t(136)));
  box.size[1] = 0;
  EXPECT_TRUE(box.empty());
  box.size[1] = INT64_MAX;
  EXPECT_EQ(box.hull(), std::nullopt);
}

/// Compared with looking at each run for itself.
TEST(AccessProgram, RunEndsAreThoseOfValidation) {
  std::mt19937 random(1);
  auto upTo = [&](unsigned most) {
    return std::uniform_int_distribution<unsigned>(0, most)(random);
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<AccessInstr> code(upTo(20));
    for (AccessInstr &instr : code) {
      instr = {AccessOp(upTo(12) ? upTo(9) : 10), 0, 0, 0, 0, 0};
      if (instr.op >= AccessOp::Add)
        instr.a = uint16_t(upTo(3)), instr.b = uint16_t(upTo(3));
      else if (upTo(30) == 0)
        instr.a = 1; // Not used by the opcode.
    }
    std::vector<uint32_t> ends = validRunEnds(code);
    ASSERT_EQ(ends.size(), code.size());
    for (uint32_t start = 0; start < code.size(); ++start)
      for (uint32_t end = start + 1; end <= code.size(); ++end) {
        AccessEntry entry{};
        entry.firstInstr = start;
        entry.instrCount = uint16_t(end - start);
        entry.mode = AccessMode::Read;
        ASSERT_EQ(validateAccess(entry, code).empty(), end <= ends[start])
            << "round " << round << ", [" << start << ", " << end << ")";
        ASSERT_EQ(validateAccess(entry, code, ends),
                  validateAccess(entry, code));
      }
  }
}
