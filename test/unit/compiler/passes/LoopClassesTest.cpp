//===- LoopClassesTest.cpp - Loops that several ops are tiled by ----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/LoopClasses.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace mkc::nn;
using testing::ElementsAre;

namespace {

/// Loop nests by hand: values are arguments of a block.
struct LoopClassesTest : testing::Test {
  Value value() {
    return block.addArgument(NoneType::get(&context),
                             UnknownLoc::get(&context));
  }
  AffineExpr d(unsigned position) {
    return getAffineDimExpr(position, &context);
  }
  AffineExpr number(int64_t n) { return getAffineConstantExpr(n, &context); }

  /// An op that has its loops, without those in `reduced`, as its result.
  Structured op(ArrayRef<int64_t> extents, ArrayRef<unsigned> reduced = {}) {
    Structured s;
    s.extents.assign(extents.begin(), extents.end());
    s.parallel.assign(extents.size(), true);
    for (unsigned loop : reduced)
      s.parallel[loop] = false;
    s.results = {value()};
    s.resultMaps.emplace_back();
    for (unsigned loop = 0; loop < s.rank(); ++loop)
      if (s.parallel[loop])
        s.resultMaps[0].exprs.push_back(d(loop));
    return s;
  }

  static void read(Structured &op, Value value, ArrayRef<AffineExpr> at) {
    op.inputs.push_back(value);
    op.inputMaps.push_back({llvm::to_vector(at)});
  }

  MLIRContext context;
  Block block;
};
} // namespace

TEST_F(LoopClassesTest, AllParallelLoopsOfOneOp) {
  LoopClasses classes = findLoopClasses({op({4, 5, 6}, {1})});
  EXPECT_THAT(classes.extents, ElementsAre(4, 6));
  EXPECT_THAT(classes.classOf[0], ElementsAre(0, -1, 1));
  EXPECT_EQ(classes.tiles(), 24);
}

TEST_F(LoopClassesTest, ElementwiseChainsShareAllLoops) {
  Structured a = op({4, 5}), b = op({4, 5});
  read(b, a.results[0], {d(0), d(1)});
  LoopClasses classes = findLoopClasses({a, b});
  EXPECT_THAT(classes.extents, ElementsAre(4, 5));
  EXPECT_THAT(classes.classOf[0], ElementsAre(0, 1));
  EXPECT_THAT(classes.classOf[1], ElementsAre(0, 1));
}

TEST_F(LoopClassesTest, FollowsTransposes) {
  Structured a = op({5, 4}), b = op({4, 5});
  read(b, a.results[0], {d(1), d(0)});
  LoopClasses classes = findLoopClasses({a, b});
  EXPECT_THAT(classes.extents, ElementsAre(4, 5));
  EXPECT_THAT(classes.classOf[0], ElementsAre(1, 0));
}

TEST_F(LoopClassesTest, ReductionsKeepTheirRows) {
  // As in softmax: the sum of a row, then each element by its row's sum.
  Structured sum = op({4, 5}, {1}), quotient = op({4, 5});
  read(quotient, sum.results[0], {d(0)});
  LoopClasses classes = findLoopClasses({sum, quotient});
  EXPECT_THAT(classes.extents, ElementsAre(4));
  EXPECT_THAT(classes.classOf[0], ElementsAre(0, -1));
  EXPECT_THAT(classes.classOf[1], ElementsAre(0, -1));
}

TEST_F(LoopClassesTest, ReducedProducersAreWhole) {
  Structured a = op({4, 5}), sum = op({4, 5}, {1});
  read(sum, a.results[0], {d(0), d(1)});
  EXPECT_THAT(findLoopClasses({a, sum}).extents, ElementsAre(4));
}

TEST_F(LoopClassesTest, WindowsStepsAndDataNeedAWholeDim) {
  for (AffineExpr at : {d(1) + 1, d(1) * 2, number(2), AffineExpr()}) {
    Structured a = op({4, 9}), b = op({4, 4});
    read(b, a.results[0], {d(0), at});
    EXPECT_THAT(findLoopClasses({a, b}).extents, ElementsAre(4));
  }
}

TEST_F(LoopClassesTest, PartsOfADimNeedItWhole) {
  Structured a = op({4, 9}), b = op({4, 5}); // The first 5 of 9.
  read(b, a.results[0], {d(0), d(1)});
  EXPECT_THAT(findLoopClasses({a, b}).extents, ElementsAre(4));
}

TEST_F(LoopClassesTest, AMatrixAndItsTransposeShareNothing) {
  Structured a = op({4, 4}), b = op({4, 4});
  read(b, a.results[0], {d(0), d(1)});
  read(b, a.results[0], {d(1), d(0)});
  LoopClasses classes = findLoopClasses({a, b});
  EXPECT_TRUE(classes.extents.empty());
  EXPECT_EQ(classes.tiles(), 1);
}

TEST_F(LoopClassesTest, EveryOpNeedsALoopOfTheClass) {
  // The row is made for all columns at once.
  Structured row = op({5}), b = op({4, 5});
  read(b, row.results[0], {d(1)});
  EXPECT_THAT(findLoopClasses({row, b}).extents, ElementsAre(5));
  Structured scalar = op({}), c = op({4, 5});
  read(c, scalar.results[0], {});
  EXPECT_TRUE(findLoopClasses({scalar, c}).extents.empty());
}

//===----------------------------------------------------------------------===//
// Against the definition
//===----------------------------------------------------------------------===//

namespace {
using Point = SmallVector<int64_t>;

std::vector<Point> pointsOf(ArrayRef<int64_t> extents) {
  std::vector<Point> points = {{}};
  for (int64_t extent : extents) {
    std::vector<Point> next;
    for (const Point &point : points)
      for (int64_t i = 0; i < extent; ++i) {
        next.push_back(point);
        next.back().push_back(i);
      }
    points = std::move(next);
  }
  return points;
}

/// What `expr` is at a point, or nullopt where any index may be meant.
std::optional<int64_t> indexAt(AffineExpr expr, const Point &point) {
  if (!expr)
    return std::nullopt;
  int64_t index = constantOf(expr);
  for (unsigned loop = 0; loop < point.size(); ++loop)
    index += coefficientOf(expr, loop) * point[loop];
  return index;
}

SmallVector<int64_t> tileOf(const LoopClasses &classes, unsigned op,
                            const Point &point) {
  SmallVector<int64_t> tile(classes.extents.size(), -1);
  for (unsigned loop = 0; loop < point.size(); ++loop)
    if (int number = classes.classOf[op][loop]; number >= 0)
      tile[number] = point[loop];
  return tile;
}

/// True if no point of `consumer` reads an element that another tile of
/// `producer` makes.
bool tilesAreApart(const LoopClasses &classes, ArrayRef<Structured> ops,
                   unsigned producer, unsigned consumer) {
  for (auto [input, map] :
       llvm::zip(ops[consumer].inputs, ops[consumer].inputMaps)) {
    if (input != ops[producer].results[0])
      continue;
    for (const Point &reader : pointsOf(ops[consumer].extents))
      for (const Point &maker : pointsOf(ops[producer].extents)) {
        bool same = true;
        for (auto [made, used] :
             llvm::zip(ops[producer].resultMaps[0].exprs, map.exprs)) {
          std::optional<int64_t> index = indexAt(used, reader);
          same &= !index || *index == indexAt(made, maker);
        }
        if (same && tileOf(classes, producer, maker) !=
                        tileOf(classes, consumer, reader))
          return false;
      }
  }
  return true;
}
} // namespace

TEST_F(LoopClassesTest, TilesNeedNothingOfEachOther) {
  std::mt19937 random(1);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  auto anyIndex = [&](unsigned rank, unsigned dim) -> AffineExpr {
    if (rank > dim && pick(0, 3))
      return d(dim);
    if (rank > 0 && pick(0, 2))
      return d(unsigned(pick(0, rank - 1)));
    if (rank > 0 && pick(0, 1))
      return d(unsigned(pick(0, rank - 1))) * pick(1, 2) + pick(0, 1);
    return pick(0, 1) ? AffineExpr() : number(pick(0, 1));
  };
  int64_t tiled = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<Structured> ops;
    for (int64_t n = pick(1, 4); n > 0; --n) {
      SmallVector<int64_t> extents;
      SmallVector<unsigned> reduced;
      for (int64_t rank = pick(0, 3); rank > 0; --rank) {
        if (pick(0, 4) == 0)
          reduced.push_back(extents.size());
        extents.push_back(pick(0, 3) ? 3 : pick(1, 2));
      }
      Structured next = op(extents, reduced);
      for (int64_t reads = ops.empty() ? 0 : pick(1, 2); reads > 0; --reads) {
        const Structured &from = ops[size_t(pick(0, ops.size() - 1))];
        SmallVector<AffineExpr> at;
        for (unsigned k = 0; k < from.resultMaps[0].exprs.size(); ++k)
          at.push_back(anyIndex(next.rank(), k));
        read(next, from.results[0], at);
      }
      ops.push_back(next);
    }
    LoopClasses classes = findLoopClasses(ops);
    tiled += ops.size() > 1 && classes.tiles() > 1;
    for (unsigned n = 0; n < ops.size(); ++n) {
      SmallVector<int64_t> extents(classes.extents.size(), -1);
      for (unsigned loop = 0; loop < ops[n].rank(); ++loop)
        if (int number = classes.classOf[n][loop]; number >= 0) {
          EXPECT_TRUE(ops[n].parallel[loop]);
          EXPECT_EQ(extents[number], -1) << "two loops of one class";
          extents[number] = ops[n].extents[loop];
        }
      EXPECT_EQ(extents, classes.extents);
      for (unsigned producer = 0; producer < n; ++producer)
        ASSERT_TRUE(tilesAreApart(classes, ops, producer, n)) << "case " << i;
    }
  }
  EXPECT_GT(tiled, 100);
}
