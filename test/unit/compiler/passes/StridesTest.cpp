//===- StridesTest.cpp - Reshapes of strided tensors ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Strides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace mkc;
using llvm::ArrayRef;
using llvm::SmallVector;
using testing::ElementsAre;

using Dims = SmallVector<int64_t>;

TEST(Strides, DenseIsRowMajor) {
  EXPECT_THAT(denseStrides({2, 3, 4}), ElementsAre(12, 4, 1));
  EXPECT_THAT(denseStrides({2, 0, 4}), ElementsAre(4, 4, 1));
  EXPECT_TRUE(denseStrides({}).empty());
}

TEST(Strides, ReshapesARunOfElements) {
  EXPECT_THAT(*reshapeStrides({2, 6}, {6, 1}, {3, 4}), ElementsAre(4, 1));
  // Rows of a wider matrix can be split, but not joined.
  EXPECT_THAT(*reshapeStrides({2, 6}, {10, 1}, {2, 3, 2}),
              ElementsAre(10, 2, 1));
  EXPECT_FALSE(reshapeStrides({2, 6}, {10, 1}, {12}));
  // A column is a run of evenly spaced elements.
  EXPECT_THAT(*reshapeStrides({4, 1}, {10, 1}, {2, 2}), ElementsAre(20, 10));
}

TEST(Strides, ReshapesBackwardsAndRepeatedElements) {
  EXPECT_THAT(*reshapeStrides({6}, {-1}, {2, 3}), ElementsAre(-3, -1));
  EXPECT_THAT(*reshapeStrides({2, 3}, {0, 0}, {6}), ElementsAre(0));
  EXPECT_FALSE(reshapeStrides({2, 3}, {0, 1}, {6}));
}

TEST(Strides, TakesAnyShapeWithoutElements) {
  EXPECT_TRUE(reshapeStrides({0, 3}, {7, 5}, {2, 0}));
}

//===----------------------------------------------------------------------===//
// Against the list of all elements
//===----------------------------------------------------------------------===//

/// Addresses of the elements in row-major order.
static std::vector<int64_t> addresses(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> strides) {
  std::vector<int64_t> list = {0};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t address : list)
      for (int64_t i = 0; i < shape[d]; ++i)
        next.push_back(address + i * strides[d]);
    list = std::move(next);
  }
  return list;
}

/// The only strides that could fit, read off the list: an index of 1 in one dim
/// is the product of the sizes behind it.
static bool anyStridesFit(const std::vector<int64_t> &list,
                          ArrayRef<int64_t> shape) {
  Dims dense = denseStrides(shape), strides(shape.size(), 0);
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1)
      strides[d] = list[size_t(dense[d])] - list[0];
  return addresses(shape, strides) == list;
}

TEST(Strides, AgreesWithTheListOfElements) {
  std::mt19937 random(1);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  // Shapes with the same number of elements: the same factors, grouped twice.
  auto group = [&](const Dims &factors) {
    Dims shape;
    for (int64_t factor : factors) {
      if (!shape.empty() && pick(0, 1))
        shape.back() *= factor;
      else
        shape.push_back(factor);
      if (pick(0, 5) == 0)
        shape.push_back(1);
    }
    return shape;
  };
  int views = 0, none = 0;
  for (int i = 0; i < 20000; ++i) {
    Dims factors;
    for (int64_t n = pick(0, 4); n > 0; --n)
      factors.push_back(pick(1, 4));
    Dims from = group(factors);
    if (pick(0, 2) == 0)
      std::shuffle(factors.begin(), factors.end(), random);
    Dims to = group(factors), strides = denseStrides(from);
    // A slice, a step, a transpose, a broadcast or any strides.
    for (int64_t &stride : strides)
      if (pick(0, 4) == 0)
        stride = stride * pick(-2, 3) + pick(0, 1);
    if (pick(0, 5) == 0)
      std::shuffle(strides.begin(), strides.end(), random);
    std::vector<int64_t> list = addresses(from, strides);
    std::optional<Dims> result = reshapeStrides(from, strides, to);
    ASSERT_EQ(result.has_value(), anyStridesFit(list, to)) << "case " << i;
    if (result)
      ASSERT_EQ(addresses(to, *result), list) << "case " << i;
    ++(result ? views : none);
  }
  EXPECT_GT(views, 1000);
  EXPECT_GT(none, 1000);
}
