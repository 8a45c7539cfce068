//===- ContractTest.cpp - Contractions of random shapes -------------------===//
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

struct ContractTest : testing::Test, HostRun {
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng);
  }
  int64_t pickFrom(std::initializer_list<int64_t> values) {
    return *(values.begin() + pick(0, values.size() - 1));
  }

  /// A weight that is a constant of the program.
  Value constantOf(NnBuilder &nn, const TensorValue &value) {
    return nn.constant(value.toElements());
  }
};

TEST_F(ContractTest, MatmulOfInputs) {
  for (int i = 0; i < 24; ++i) {
    int64_t batch = pick(1, 3), m = pickFrom({1, 2, 7, 15, 17, 64, 70}),
            n = pickFrom({1, 3, 16, 17, 40, 130}), k = pickFrom({1, 5, 8, 33});
    bool transposed = pick(0, 1);
    RankedTensorType x = tensor({batch, m, k});
    RankedTensorType w = transposed ? tensor({batch, n, k}) : tensor({k, n});
    build({x, w}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      auto d = [&](unsigned i) { return nn.dim(i); };
      return {nn.contract(
          in[0], in[1], {batch, m, n, k}, nn.map(4, {d(0), d(1), d(3)}),
          transposed ? nn.map(4, {d(0), d(2), d(3)}) : nn.map(4, {d(3), d(2)}),
          nn.map(4, {d(0), d(1), d(2)}))};
    });
    ASSERT_TRUE(agrees({random(x), random(w)}))
        << batch << "x" << m << "x" << n << "x" << k << " " << transposed;
  }
}

TEST_F(ContractTest, MatmulOfHalves) {
  Type types[] = {Float16Type::get(&context), BFloat16Type::get(&context),
                  Float32Type::get(&context)};
  for (int i = 0; i < 36; ++i) {
    cpu = pick(0, 1) ? "native" : pick(0, 1) ? "x86-64" : "x86-64-v3";
    int64_t m = pickFrom({1, 2, 7, 17, 64}), n = pickFrom({1, 3, 17, 33, 65}),
            k = pickFrom({1, 5, 33});
    Type half = types[i % 2];
    bool isConstant = pick(0, 1);
    RankedTensorType x = tensor({m, k}, pick(0, 1) ? half : types[2]);
    RankedTensorType w = tensor({k, n}, half);
    TensorValue weight = random(w);
    // Extended tensors are read as they are, and the sums rounded at the end.
    build({x, w}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      Value sums = nn.contract(
          nn.widened(in[0]),
          nn.widened(isConstant ? constantOf(nn, weight) : in[1]), {m, n, k},
          nn.map(3, {nn.dim(0), nn.dim(2)}), nn.map(3, {nn.dim(2), nn.dim(1)}),
          nn.map(3, {nn.dim(0), nn.dim(1)}));
      return {sums, nn.rounded(sums, half)};
    });
    ASSERT_TRUE(agrees({random(x), random(w)}, 1e-2))
        << m << "x" << n << "x" << k << " on " << cpu;
  }
}

TEST_F(ContractTest, MatmulOfIntegersWraps) {
  Type i32 = IntegerType::get(&context, 32);
  RankedTensorType x = tensor({9, 21}, i32), w = tensor({21, 18}, i32);
  build({x, w}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {nn.contract(
        in[0], in[1], {9, 18, 21}, nn.map(3, {nn.dim(0), nn.dim(2)}),
        nn.map(3, {nn.dim(2), nn.dim(1)}), nn.map(3, {nn.dim(0), nn.dim(1)}))};
  });
  EXPECT_TRUE(agrees(
      {random(x, INT32_MIN, INT32_MAX), random(w, INT32_MIN, INT32_MAX)}));
}

/// Channels-last convolutions with groups g: x [n, h, w, g, c], weights
/// [g, r, s, c, k], result [n, oh, ow, g, k].
TEST_F(ContractTest, Convolutions) {
  for (int i = 0; i < 40; ++i) {
    int64_t n = pick(1, 2), g = pickFrom({1, 1, 1, 3}),
            c = pickFrom({1, 3, 8, 18}), k = pickFrom({1, 5, 16, 36, 50});
    int64_t r = pick(1, 5), s = pick(1, 7), stride = pick(1, 3),
            dilation = pick(1, 3), pad = pick(0, 4);
    int64_t h = pick((r - 1) * dilation + 1, 20),
            w = pick((s - 1) * dilation + 1, 40);
    int64_t oh = (h + 2 * pad - (r - 1) * dilation - 1) / stride + 1;
    int64_t ow = (w + 2 * pad - (s - 1) * dilation - 1) / stride + 1;
    RankedTensorType xType = tensor({n, h, w, g, c});
    RankedTensorType wType = tensor({g, r, s, c, k});
    TensorValue weights = random(wType);
    bool hasBias = pick(0, 1);
    bool isConstant =
        pick(0, 1) && weights.getNumBytes() <= kInlineConstantBytes;
    RankedTensorType biasType = tensor({g, k});
    build({xType, wType, biasType},
          [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
            // n, oh, ow, g, k, r, s, c
            auto d = [&](unsigned i) { return nn.dim(i); };
            Value y = nn.contract(
                in[0], isConstant ? constantOf(nn, weights) : in[1],
                {n, oh, ow, g, k, r, s, c},
                nn.map(8, {d(0), d(1) * stride + d(5) * dilation - pad,
                           d(2) * stride + d(6) * dilation - pad, d(3), d(7)}),
                nn.map(8, {d(3), d(5), d(6), d(7), d(4)}),
                nn.map(8, {d(0), d(1), d(2), d(3), d(4)}));
            if (hasBias)
              y = nn.elementwise(
                  {y, in[2]}, {n, oh, ow, g, k}, elementOf(y),
                  [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                    Value sum = arith::AddFOp::create(b, loc, v[0], v[1]);
                    Value zero =
                        arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
                    return arith::MaximumFOp::create(b, loc, sum, zero);
                  });
            return {y};
          });
    ASSERT_TRUE(agrees({random(xType), weights, random(biasType)}, 1e-4))
        << "n " << n << " h " << h << " w " << w << " g " << g << " c " << c
        << " k " << k << " r " << r << " s " << s << " stride " << stride
        << " dilation " << dilation << " pad " << pad;
  }
}

TEST_F(ContractTest, DepthwiseConvolutions) {
  for (int i = 0; i < 16; ++i) {
    int64_t c = pickFrom({1, 7, 16, 24, 40}), r = pick(1, 5);
    int64_t stride = pick(1, 2), pad = pick(0, 3), h = pick(r, 19),
            w = pick(r, 33);
    int64_t oh = (h + 2 * pad - r) / stride + 1,
            ow = (w + 2 * pad - r) / stride + 1;
    RankedTensorType xType = tensor({1, h, w, c}), wType = tensor({r, r, c});
    build({xType, wType},
          [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
            auto d = [&](unsigned i) { return nn.dim(i); };
            return {nn.contract(in[0], in[1], {1, oh, ow, c, r, r},
                                nn.map(6, {d(0), d(1) * stride + d(4) - pad,
                                           d(2) * stride + d(5) - pad, d(3)}),
                                nn.map(6, {d(4), d(5), d(3)}),
                                nn.map(6, {d(0), d(1), d(2), d(3)}))};
          });
    ASSERT_TRUE(agrees({random(xType), random(wType)}))
        << "c " << c << " r " << r << " h " << h << " w " << w << " stride "
        << stride << " pad " << pad;
  }
}

/// Register tiles of narrower vectors and fewer registers.
TEST_F(ContractTest, CodeForOlderCpus) {
  for (const char *name : {"x86-64", "x86-64-v3"}) {
    cpu = name;
    RankedTensorType x = tensor({2, 13, 21, 19}), w = tensor({3, 3, 19, 45});
    TensorValue weights = random(w);
    build({x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      auto d = [&](unsigned i) { return nn.dim(i); };
      return {
          nn.contract(in[0], constantOf(nn, weights), {2, 13, 21, 45, 3, 3, 19},
                      nn.map(7, {d(0), d(1) + d(4) - 1, d(2) + d(5) - 1, d(6)}),
                      nn.map(7, {d(4), d(5), d(6), d(3)}),
                      nn.map(7, {d(0), d(1), d(2), d(3)}))};
    });
    ASSERT_TRUE(agrees({random(x)}, 1e-4)) << name;
    RankedTensorType v = tensor({33}), matrix = tensor({33, 72});
    TensorValue columns = random(matrix);
    build({v}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      return {nn.contract(
          in[0], constantOf(nn, columns), {72, 33}, nn.map(2, {nn.dim(1)}),
          nn.map(2, {nn.dim(1), nn.dim(0)}), nn.map(2, {nn.dim(0)}))};
    });
    ASSERT_TRUE(agrees({random(v)})) << name;
  }
}

TEST_F(ContractTest, ScalarProducts) {
  for (int64_t k : {1, 16, 37}) {
    RankedTensorType x = tensor({2, k}), w = tensor({k, 2});
    build({x, w}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      Value dot =
          nn.contract(in[0], in[1], {2, k}, nn.map(2, {nn.dim(0), nn.dim(1)}),
                      nn.map(2, {nn.dim(1), nn.dim(0)}), nn.map(2, {}));
      return {
          nn.elementwise({dot, dot}, {}, elementOf(dot),
                         [](OpBuilder &b, Location l, ValueRange v) -> Value {
                           return arith::AddFOp::create(b, l, v[0], v[1]);
                         })};
    });
    ASSERT_TRUE(agrees({random(x), random(w)}));
  }
}

TEST_F(ContractTest, EmptyReductionGivesZero) {
  RankedTensorType x = tensor({4, 0}), w = tensor({0, 20});
  build({x, w}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {nn.contract(
        in[0], in[1], {4, 20, 0}, nn.map(3, {nn.dim(0), nn.dim(2)}),
        nn.map(3, {nn.dim(2), nn.dim(1)}), nn.map(3, {nn.dim(0), nn.dim(1)}))};
  });
  EXPECT_TRUE(agrees({random(x), random(w)}));
}

} // namespace
