//===- TensorTest.cpp - Elements, fills, comparisons ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Compare.h"
#include "runtime/io/Elements.h"
#include "runtime/io/Fill.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mkrt::io;
using testing::ElementsAre;

static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static Tensor tensor(DataType type, std::vector<int64_t> shape,
                     std::vector<double> values) {
  Tensor t;
  EXPECT_EQ(Tensor::allocate(type, std::move(shape), t), "");
  for (size_t i = 0; i < values.size(); ++i)
    setNumber(t, i, values[i]);
  return t;
}

TEST(Elements, SmallFloats) {
  Tensor t = tensor(types::Float8E4M3FN, {4}, {});
  for (unsigned i = 0; i < 4; ++i)
    t.bytes()[i] = std::byte(std::array{0x7e, 0x38, 0x01, 0x7f}[i]);
  EXPECT_EQ(numberAt(t, 0), 448);
  EXPECT_EQ(numberAt(t, 1), 1);
  EXPECT_EQ(numberAt(t, 2), 0x1p-9);
  EXPECT_TRUE(std::isnan(numberAt(t, 3)));
  Tensor f4 = tensor(types::Float4E2M1, {3}, {6, -0.5, 1.4});
  EXPECT_EQ(numberAt(f4, 0), 6);
  EXPECT_EQ(numberAt(f4, 1), -0.5);
  EXPECT_EQ(numberAt(f4, 2), 1.5);
}

TEST(Compare, ToleranceNanAndInfinity) {
  Tolerance tolerance{1e-3, 1e-5};
  auto compare = [&](std::vector<double> a, std::vector<double> b) {
    return compareTensors(tensor(types::Float, {2, 2}, a),
                          tensor(types::Float, {2, 2}, b), tolerance);
  };
  Comparison c = compare({1, 2, kNan, kInfinity}, {1.0005, 2, kNan, kInfinity});
  EXPECT_TRUE(c.ok);
  EXPECT_NEAR(c.maxAbs, 5e-4, 1e-7);
  EXPECT_THAT(c.worstIndex, ElementsAre(0, 0));

  c = compare({1, 2, 3, 4}, {1, 2, 3.1, 4});
  EXPECT_FALSE(c.ok);
  EXPECT_EQ(c.mismatches, 1u);
  EXPECT_THAT(c.worstIndex, ElementsAre(1, 0));
  EXPECT_EQ(c.worstActual, 3);
  EXPECT_FLOAT_EQ(float(c.worstExpected), 3.1f);
  EXPECT_NEAR(c.maxRel, 0.1 / 3.1, 1e-6);

  EXPECT_FALSE(compare({kInfinity, 0, 0, 0}, {-kInfinity, 0, 0, 0}).ok);
  EXPECT_FALSE(compare({kNan, 0, 0, 0}, {1, 0, 0, 0}).ok);
  EXPECT_FALSE(compare({1, 0, 0, 0}, {kInfinity, 0, 0, 0}).ok);
  EXPECT_TRUE(compare({1e-5, 0, 0, 0}, {0, 0, 0, 0}).ok);
}

TEST(Compare, IntegersAndTypesAreExact) {
  Tensor a = tensor(types::Int64, {2}, {}), b = tensor(types::Int64, {2}, {});
  setInteger(a, 1, (int64_t(1) << 60) + 1);
  setInteger(b, 1, int64_t(1) << 60);
  Comparison c = compareTensors(a, b, defaultTolerance(types::Int64));
  EXPECT_FALSE(c.ok);
  EXPECT_EQ(c.maxAbs, 1);
  EXPECT_TRUE(compareTensors(a, a, {0, 0}).ok);
  EXPECT_EQ(compareTensors(a, tensor(types::Float, {2}, {}), {0, 0}).mismatch,
            "is int64 [2], expected float32 [2]");
  EXPECT_EQ(
      compareTensors(a, tensor(types::Int64, {1, 2}, {}), {0, 0}).mismatch,
      "is int64 [2], expected int64 [1, 2]");
  Tensor empty = tensor(types::Float, {0}, {});
  EXPECT_TRUE(compareTensors(empty, empty, {0, 0}).ok);
}

TEST(Compare, Summaries) {
  Summary s = summarize(tensor(types::Int32, {3}, {-1, 4, 3}));
  EXPECT_EQ(s.min, -1);
  EXPECT_EQ(s.max, 4);
  EXPECT_EQ(s.mean, 2);
  EXPECT_TRUE(std::isnan(summarize(tensor(types::Float, {2}, {1, kNan})).mean));
}

TEST(Fill, ParsesItsForms) {
  std::string error;
  EXPECT_EQ(parseFill("zeros", error)->kind, Fill::Kind::Zeros);
  EXPECT_EQ(parseFill("random", error)->seed, 0u);
  EXPECT_EQ(parseFill("random:7", error)->seed, 7u);
  EXPECT_EQ(parseFill("random:7:-1:2.5", error)->range, std::pair(-1.0, 2.5));
  EXPECT_FALSE(parseFill("x.npy", error));
  EXPECT_EQ(error, "");
  for (const char *bad : {"random:", "random:1:2", "random:a", "random:1:3:2",
                          "random:1:0:inf", "random:1:2:3:4"}) {
    EXPECT_FALSE(parseFill(bad, error)) << bad;
    EXPECT_NE(error, "") << bad;
  }
}

TEST(Fill, IsSeededAndInRange) {
  auto make = [](DataType type, const char *text, const char *name) {
    std::string error;
    Tensor t = tensor(type, {1000}, {});
    fillTensor(t, *parseFill(text, error), name);
    return t;
  };
  Tensor a = make(types::Float, "random:3", "x");
  EXPECT_TRUE(std::ranges::equal(a.bytes(),
                                 make(types::Float, "random:3", "x").bytes()));
  EXPECT_FALSE(std::ranges::equal(a.bytes(),
                                  make(types::Float, "random:3", "y").bytes()));
  EXPECT_FALSE(std::ranges::equal(a.bytes(),
                                  make(types::Float, "random:4", "x").bytes()));
  Summary s = summarize(a);
  EXPECT_GE(s.min, -1);
  EXPECT_LT(s.min, -0.9);
  EXPECT_LT(s.max, 1);
  EXPECT_GT(s.max, 0.9);
  s = summarize(make(types::Int64, "random", "ids"));
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, 1);
  s = summarize(make(types::Int32, "random:1:-3:9", "ids"));
  EXPECT_EQ(s.min, -3);
  EXPECT_EQ(s.max, 9);
  s = summarize(make(types::Bool, "random", "mask"));
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, 1);
}
