//===- SharedKernelTest.cpp - Kernels that differ in scalars --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/compiler/HostRun.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::test;

namespace {

struct SharedKernelTest : testing::Test, HostRun {
  Value number(NnBuilder &nn, float value) {
    return nn.splat({}, nn.builder.getF32FloatAttr(value));
  }
  template <typename OpTy>
  static Value binary(OpBuilder &b, Location loc, ValueRange v) {
    return OpTy::create(b, loc, v[0], v[1]);
  }
  Value leakyRelu(NnBuilder &nn, Value x, float alpha) {
    return nn.elementwise(
        {x, number(nn, alpha), number(nn, 0)}, shapeOf(x), elementOf(x),
        [](OpBuilder &b, Location at, ValueRange v) -> Value {
          Value scaled = arith::MulFOp::create(b, at, v[0], v[1]);
          Value isNegative = arith::CmpFOp::create(
              b, at, arith::CmpFPredicate::OLT, v[0], v[2]);
          return arith::SelectOp::create(b, at, isNegative, scaled, v[0]);
        });
  }
  Value clip(NnBuilder &nn, Value x, float low, float high) {
    return nn.elementwise(
        {x, number(nn, low), number(nn, high)}, shapeOf(x), elementOf(x),
        [](OpBuilder &b, Location at, ValueRange v) -> Value {
          Value above = arith::MaximumFOp::create(b, at, v[0], v[1]);
          return arith::MinimumFOp::create(b, at, above, v[2]);
        });
  }
  TensorValue withSpecialValues(RankedTensorType type) {
    TensorValue value = random(type);
    value.data<float>()[0] = NAN;
    value.data<float>()[1] = -std::numeric_limits<float>::infinity();
    value.data<float>()[2] = -0.0f;
    return value;
  }
};

TEST_F(SharedKernelTest, LeakyReluOfTwoSlopes) {
  RankedTensorType x = tensor({37, 130});
  build({x, x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {leakyRelu(nn, in[0], 0.1f), leakyRelu(nn, in[1], 0.7f)};
  });
  EXPECT_TRUE(agrees({withSpecialValues(x), random(x)}, 0));
  EXPECT_EQ(kernels, 1u);
}

TEST_F(SharedKernelTest, ClipOfThreeRanges) {
  RankedTensorType x = tensor({70, 33});
  build({x, x, x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {clip(nn, in[0], -0.5f, 1), clip(nn, in[1], 0, 0.25f),
            clip(nn, in[2], -7, 1)};
  });
  EXPECT_TRUE(
      agrees({withSpecialValues(x), withSpecialValues(x), random(x)}, 0));
  EXPECT_EQ(kernels, 1u);
}

TEST_F(SharedKernelTest, IntegersAndReductions) {
  RankedTensorType x = tensor({40, 50}),
                   n = tensor({9, 21}, IntegerType::get(&context, 64));
  build({x, x, n, n}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    auto sumAbove = [&](Value v, float bound) {
      return nn.reduce(
          {v, nn.splat(shapeOf(v), nn.builder.getF32FloatAttr(bound))}, {1},
          nn.builder.getF32FloatAttr(0),
          [](OpBuilder &b, Location at, ValueRange v) -> Value {
            Value d = arith::SubFOp::create(b, at, v[0], v[1]);
            return arith::AddFOp::create(b, at, v[2], d);
          });
    };
    auto shifted = [&](Value v, int64_t by) {
      return nn.elementwise({v, nn.splat({}, nn.builder.getI64IntegerAttr(by))},
                            shapeOf(v), elementOf(v), binary<arith::AddIOp>);
    };
    return {sumAbove(in[0], 0.5f), sumAbove(in[1], -3), shifted(in[2], 7),
            shifted(in[3], int64_t(1) << 40)};
  });
  EXPECT_TRUE(agrees({random(x), random(x), random(n), random(n)}));
  EXPECT_EQ(kernels, 2u);
}

/// The scalars of an epilogue that runs in the registers of a contraction.
TEST_F(SharedKernelTest, EpiloguesOfContractions) {
  RankedTensorType x = tensor({45, 20}), w = tensor({20, 70});
  build({x, w, x, w}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    auto product = [&](Value a, Value c) {
      return nn.contract(a, c, {45, 70, 20}, nn.map(3, {nn.dim(0), nn.dim(2)}),
                         nn.map(3, {nn.dim(2), nn.dim(1)}),
                         nn.map(3, {nn.dim(0), nn.dim(1)}));
    };
    return {clip(nn, product(in[0], in[1]), -1, 2),
            clip(nn, product(in[2], in[3]), 0, 6)};
  });
  EXPECT_TRUE(agrees({random(x), random(w), random(x), random(w)}));
  EXPECT_EQ(kernels, 1u);
}

/// Dispatches of equal kernels pass the same scalars.
TEST_F(SharedKernelTest, EqualScalarsOfSeveralDispatches) {
  RankedTensorType x = tensor({16, 100});
  build({x, x, x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {clip(nn, in[0], -1, 1), clip(nn, in[1], -1, 1),
            clip(nn, in[2], 0, 1)};
  });
  EXPECT_TRUE(agrees({random(x), random(x), random(x)}, 0));
  EXPECT_EQ(kernels, 1u);
}

} // namespace
