//===- GenericTest.cpp - Elementwise ops, reductions, data movement -------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Nn.h"
#include "test/unit/compiler/HostRun.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <array>

using namespace mlir;
using namespace mkc;
using namespace mkc::test;

namespace {

struct GenericTest : testing::Test, HostRun {
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng);
  }
  SmallVector<int64_t> randomShape(int64_t rank, int64_t most) {
    SmallVector<int64_t> shape;
    for (int64_t i = 0; i < rank; ++i)
      shape.push_back(pick(1, most));
    return shape;
  }

  template <typename OpTy>
  static Value binary(OpBuilder &b, Location loc, ValueRange v) {
    return OpTy::create(b, loc, v[0], v[1]);
  }

  Value sum(NnBuilder &nn, Value x, ArrayRef<int64_t> axes) {
    return nn.reduce({x}, axes, nn.builder.getF32FloatAttr(0),
                     binary<arith::AddFOp>);
  }
  Value maximum(NnBuilder &nn, Value x, ArrayRef<int64_t> axes) {
    return nn.reduce(
        {x}, axes,
        nn.builder.getF32FloatAttr(-std::numeric_limits<float>::infinity()),
        binary<arith::MaximumFOp>);
  }
};

TEST_F(GenericTest, BroadcastsOfAllTypes) {
  for (Type element :
       {Type(Float32Type::get(&context)), Type(IntegerType::get(&context, 32)),
        Type(IntegerType::get(&context, 64))})
    for (int i = 0; i < 6; ++i) {
      SmallVector<int64_t> shape = randomShape(4, 9), other = shape;
      for (int64_t &size : other)
        if (pick(0, 1))
          size = 1;
      RankedTensorType a = tensor(shape, element), b = tensor(other, element);
      build({a, b}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
        return {nn.elementwise({in[0], in[1]}, shape, element,
                               isa<FloatType>(element)
                                   ? binary<arith::MulFOp>
                                   : binary<arith::MulIOp>)};
      });
      ASSERT_TRUE(agrees({random(a), random(b)}));
    }
}

TEST_F(GenericTest, BoolsAreBytesInMemory) {
  Type i1 = IntegerType::get(&context, 1);
  RankedTensorType mask = tensor({5, 37}, i1), x = tensor({5, 37});
  build({mask, x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    Value positive = nn.elementwise(
        {in[1]}, {5, 37}, i1,
        [](OpBuilder &b, Location l, ValueRange v) -> Value {
          Value zero = arith::ConstantOp::create(b, l, b.getF32FloatAttr(0));
          return arith::CmpFOp::create(b, l, arith::CmpFPredicate::OGT, v[0],
                                       zero);
        });
    Value both =
        nn.elementwise({in[0], positive}, {5, 37}, i1, binary<arith::AndIOp>);
    return {both, nn.transpose(both, {1, 0})};
  });
  EXPECT_TRUE(agrees({random(mask), random(x)}));
}

TEST_F(GenericTest, Transposes) {
  for (int i = 0; i < 12; ++i) {
    SmallVector<int64_t> shape = randomShape(4, 20), perm{0, 1, 2, 3};
    std::shuffle(perm.begin(), perm.end(), rng);
    RankedTensorType x = tensor(shape);
    build({x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      return {nn.transpose(in[0], perm)};
    });
    ASSERT_TRUE(agrees({random(x)}));
  }
}

TEST_F(GenericTest, ReductionsOverAnyAxes) {
  for (int i = 0; i < 24; ++i) {
    SmallVector<int64_t> shape = randomShape(4, 24), axes;
    for (int64_t d = 0; d < 4; ++d)
      if (pick(0, 1))
        axes.push_back(d);
    RankedTensorType x = tensor(shape);
    build({x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      return {sum(nn, in[0], axes), maximum(nn, in[0], axes)};
    });
    ASSERT_TRUE(agrees({random(x)}, 1e-4));
  }
}

TEST_F(GenericTest, LongRowsUseSeveralSums) {
  RankedTensorType x = tensor({3, 1001});
  build({x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {sum(nn, in[0], {1}), sum(nn, in[0], {0, 1})};
  });
  EXPECT_TRUE(agrees({random(x)}, 1e-4));
}

TEST_F(GenericTest, MaximumKeepsNan) {
  RankedTensorType x = tensor({4, 33});
  TensorValue value = random(x);
  value.data<float>()[40] = NAN;
  build({x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {maximum(nn, in[0], {1}), maximum(nn, in[0], {0})};
  });
  EXPECT_TRUE(agrees({value}));
}

/// max and min of two tensors and of a tensor and a constant, in either order,
/// with every pair of numbers, infinities, zeros and NaN.
TEST_F(GenericTest, ExtremaOfSpecialValues) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float values[] = {NAN, inf, -inf, 0, -0.0f, 1, -1, 2.5f};
  constexpr int64_t count = std::size(values);
  RankedTensorType type = tensor({count, count});
  TensorValue x = random(type), y = random(type);
  for (int64_t i = 0; i < count * count; ++i) {
    x.data<float>()[i] = values[i / count];
    y.data<float>()[i] = values[i % count];
  }
  build({type, type}, [&](NnBuilder &nn, ValueRange in) {
    SmallVector<Value> results;
    auto extrema = [&](Value a, Value c) {
      results.push_back(nn.elementwise({a, c}, type.getShape(), elementOf(a),
                                       binary<arith::MaximumFOp>));
      results.push_back(nn.elementwise({a, c}, type.getShape(), elementOf(a),
                                       binary<arith::MinimumFOp>));
    };
    extrema(in[0], in[1]);
    for (float value : values) {
      Value constant = nn.splat({}, nn.builder.getF32FloatAttr(value));
      extrema(in[0], constant);
      extrema(constant, in[1]);
    }
    return results;
  });
  EXPECT_TRUE(agrees({x, y}, 0));
}

/// Values around every special case of the functions that codegen/tile computes
/// itself.
TEST_F(GenericTest, MathOfAllMagnitudes) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float values[] = {NAN,    inf,    -inf,  0,        -0.0f,   1e-42f,
                          1e-30f, 0.5f,   -0.5f, 1,        -1,      2,
                          -3,     7.5f,   22.0f, -1234.5f, 167276,  1e6f,
                          1e9f,   -1e18f, 3e38f, -3e38f,   0.7854f, -9.42478f};
  constexpr int64_t count = std::size(values);
  RankedTensorType type = tensor({count, count});
  TensorValue x = random(type), y = random(type);
  for (int64_t i = 0; i < count * count; ++i) {
    x.data<float>()[i] = values[i / count];
    y.data<float>()[i] = values[i % count];
  }
  build({type, type}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    auto unary = [&](auto function) {
      return nn.elementwise({in[0]}, {count, count}, nn.builder.getF32Type(),
                            function);
    };
    return {unary([](OpBuilder &b, Location l, ValueRange v) -> Value {
              return math::SinOp::create(b, l, v[0]);
            }),
            unary([](OpBuilder &b, Location l, ValueRange v) -> Value {
              return math::CosOp::create(b, l, v[0]);
            }),
            unary([](OpBuilder &b, Location l, ValueRange v) -> Value {
              return math::LogOp::create(b, l, v[0]);
            }),
            nn.elementwise({in[0], in[1]}, {count, count},
                           nn.builder.getF32Type(), binary<math::PowFOp>)};
  });
  EXPECT_TRUE(agrees({x, y}, 1e-6));
}

/// e^x below the smallest normal number, and the logarithm near 1, lose no
/// digits. The tolerance of agrees() is absolute where values are small, so
/// both are scaled up.
TEST_F(GenericTest, ExponentialsKeepDenormals) {
  RankedTensorType x = tensor({40});
  TensorValue value = random(x);
  for (int i = 0; i < 40; ++i)
    value.data<float>()[i] = -70.0f - float(i);
  build({x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {nn.elementwise({in[0]}, {40}, nn.builder.getF32Type(),
                           [](OpBuilder &b, Location l, ValueRange v) -> Value {
                             Value e = math::ExpOp::create(b, l, v[0]);
                             Value large = arith::ConstantOp::create(
                                 b, l, b.getF32FloatAttr(0x1p126f));
                             return arith::MulFOp::create(
                                 b, l, arith::MulFOp::create(b, l, e, large),
                                 large);
                           })};
  });
  EXPECT_TRUE(agrees({value}));
}

/// Softmax over any axis is one kernel.
TEST_F(GenericTest, SoftmaxIsOneKernel) {
  for (int64_t axis = 0; axis < 3; ++axis) {
    SmallVector<int64_t> shape{17, 5, 41};
    RankedTensorType x = tensor(shape);
    build({x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      SmallVector<AffineExpr> kept;
      for (int64_t d = 0; d < 3; ++d)
        if (d != axis)
          kept.push_back(nn.dim(d));
      AffineMap whole = nn.map(3, {nn.dim(0), nn.dim(1), nn.dim(2)});
      AffineMap reduced = nn.map(3, kept);
      Value most = maximum(nn, in[0], {axis});
      Value e =
          nn.generic({in[0], most}, {whole, reduced}, shape, elementOf(in[0]),
                     [](OpBuilder &b, Location l, ValueRange v) -> Value {
                       Value shifted = arith::SubFOp::create(b, l, v[0], v[1]);
                       return math::ExpOp::create(b, l, shifted);
                     });
      Value total = sum(nn, e, {axis});
      return {nn.generic({e, total}, {whole, reduced}, shape, elementOf(e),
                         binary<arith::DivFOp>)};
    });
    ASSERT_TRUE(agrees({random(x)})) << "axis " << axis;
    EXPECT_EQ(kernels, 1u) << "axis " << axis;
  }
}

TEST_F(GenericTest, Pools) {
  for (int i = 0; i < 16; ++i) {
    int64_t c = pick(1, 40), r = pick(1, 4), stride = pick(1, 3),
            pad = pick(0, r - 1), h = pick(r, 15), w = pick(r, 15);
    int64_t oh = (h + 2 * pad - r) / stride + 1,
            ow = (w + 2 * pad - r) / stride + 1;
    RankedTensorType x = tensor({2, h, w, c});
    build({x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      auto d = [&](unsigned i) { return nn.dim(i); };
      AffineMap read = nn.map(6, {d(0), d(1) * stride + d(4) - pad,
                                  d(2) * stride + d(5) - pad, d(3)});
      AffineMap write = nn.map(6, {d(0), d(1), d(2), d(3)});
      SmallVector<int64_t> extents{2, oh, ow, c, r, r};
      return {nn.pool(in[0], nn::PoolKind::Max, extents, read, write),
              nn.pool(in[0], nn::PoolKind::Sum, extents, read, write)};
    });
    ASSERT_TRUE(agrees({random(x)}));
  }
}

TEST_F(GenericTest, HalvesOnEveryCpu) {
  for (int i = 0; i < 12; ++i) {
    Type half = i % 2 ? Type(Float16Type::get(&context))
                      : Type(BFloat16Type::get(&context));
    cpu = std::array{"native", "x86-64", "x86-64-v3"}[i / 2 % 3];
    int64_t h = pick(3, 12), w = pick(3, 12), c = pick(1, 40);
    RankedTensorType x = tensor({2, h, w, c}, half), y = tensor({w, 1}, half);
    build({x, y}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      auto d = [&](unsigned i) { return nn.dim(i); };
      AffineMap read =
          nn.map(6, {d(0), d(1) + d(4) - 1, d(2) + d(5) - 1, d(3)});
      AffineMap write = nn.map(6, {d(0), d(1), d(2), d(3)});
      SmallVector<int64_t> extents{2, h, w, c, 3, 3};
      Value wide = nn.widened(in[0]);
      Value product = nn.rounded(
          nn.elementwise({wide, nn.widened(in[1])}, x.getShape(),
                         nn.builder.getF32Type(), binary<arith::MulFOp>),
          half);
      Value moved = nn.transpose(nn.rounded(wide, half), {0, 3, 2, 1});
      return {product,
              moved,
              nn.pool(wide, nn::PoolKind::Max, extents, read, write),
              nn.rounded(nn.pool(wide, nn::PoolKind::Sum, extents, read, write),
                         half),
              nn.rounded(sum(nn, nn.widened(product), {1, 3}), half),
              maximum(nn, nn.widened(moved), {2}),
              nn.argReduce(wide, 3, true, false)};
    });
    ASSERT_TRUE(agrees({random(x), random(y)}, 1e-2))
        << h << "x" << w << "x" << c << " on " << cpu;
  }
}

TEST_F(GenericTest, GatherCountsFromTheEndAndStopsOutside) {
  Type i64 = IntegerType::get(&context, 64);
  for (int64_t axis = 0; axis < 3; ++axis) {
    SmallVector<int64_t> shape{6, 7, 19};
    RankedTensorType x = tensor(shape), indices = tensor({2, 3}, i64);
    auto body = [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      return {nn.gather(in[0], in[1], axis)};
    };
    TensorValue index = random(indices, -shape[axis], shape[axis] - 1);
    build({x, indices}, body);
    ASSERT_TRUE(agrees({random(x), index})) << "axis " << axis;
  }
}

TEST_F(GenericTest, ArgReduceTakesFirstOrLast) {
  for (bool isMax : {false, true})
    for (bool last : {false, true})
      for (int64_t axis = 0; axis < 2; ++axis) {
        Type i32 = IntegerType::get(&context, 32);
        RankedTensorType x = tensor({9, 21}, i32), y = tensor({9, 21});
        TensorValue floats = random(y);
        floats.data<float>()[30] = floats.data<float>()[35] = NAN;
        build({x, y}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
          return {nn.argReduce(in[0], axis, isMax, last),
                  nn.argReduce(in[1], axis, isMax, last)};
        });
        ASSERT_TRUE(agrees({random(x), floats}));
      }
}

// Axes shorter and longer than a vector, vectors along the axis and along other
// loops, and equal elements and NaN in several lanes.
TEST_F(GenericTest, ArgReduceRunsVectorsAlongAnyLoop) {
  Type i64 = IntegerType::get(&context, 64);
  const SmallVector<SmallVector<int64_t>> shapes{
      {3, 5}, {2, 16, 33}, {40, 3, 50}, {1, 200}, {64}, {7, 1, 3}};
  for (const SmallVector<int64_t> &shape : shapes)
    for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis) {
      TensorValue x = random(tensor(shape)),
                  y = random(tensor(shape, i64), 0, 2);
      for (int64_t i = 0; i < x.getNumElements(); ++i)
        x.data<float>()[i] = i % 19 == 7 ? NAN : float(pick(0, 2));
      TensorValue noNan = random(tensor(shape, i64), -3, 3);
      build({x.getType(), y.getType(), noNan.getType()},
            [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
              SmallVector<Value> results;
              for (Value value : in)
                for (int64_t kind = 0; kind < 4; ++kind)
                  results.push_back(
                      nn.argReduce(value, axis, kind & 1, kind & 2));
              return results;
            });
      ASSERT_TRUE(agrees({x, y, noNan})) << "axis " << axis;
    }
}

TEST_F(GenericTest, SlicesReshapesAndConcatenations) {
  for (int i = 0; i < 24; ++i) {
    SmallVector<int64_t> shape{pick(2, 6), pick(2, 12), pick(2, 20)};
    RankedTensorType x = tensor(shape);
    build({x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
      int64_t axis = pick(0, 2), half = shape[axis] / 2;
      SmallVector<int64_t> zero(3, 0), steps(3, 1), size = shape, offset(3, 0);
      size[axis] = half;
      offset[axis] = shape[axis] - half;
      Value first = nn.slice(in[0], zero, size, steps);
      Value second = nn.slice(in[0], offset, size, steps);
      Value swapped = nn.concat({second, in[0], first, first}, axis);
      Value doubled = nn.elementwise({swapped, swapped}, shapeOf(swapped),
                                     elementOf(swapped), binary<arith::AddFOp>);
      Value joined = nn.concat({doubled, swapped, doubled}, pick(0, 2));
      Value flat = nn.reshape(
          first, {half * shape[0] * shape[1] * shape[2] / shape[axis]});
      SmallVector<int64_t> backwards = shape;
      steps[axis] = -1;
      zero[axis] = shape[axis] - 1;
      return {joined, flat, in[0], nn.slice(in[0], zero, backwards, steps)};
    });
    ASSERT_TRUE(agrees({random(x)}));
  }
}

/// LLVM has no instruction for it: the kernel calls the C library.
TEST_F(GenericTest, RemainderOfFloats) {
  RankedTensorType x = tensor({5, 7});
  build({x, x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {nn.elementwise({in[0], in[1]}, {5, 7}, elementOf(in[0]),
                           binary<arith::RemFOp>)};
  });
  EXPECT_TRUE(agrees({random(x), random(x)}));
}

/// A tensor without elements between dims with many must write nothing.
TEST_F(GenericTest, EmptyOutputs) {
  RankedTensorType x = tensor({20, 0, 5});
  build({x}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {in[0], nn.transpose(in[0], {2, 1, 0})};
  });
  EXPECT_TRUE(agrees({random(x)}));
}

TEST_F(GenericTest, EmptyTensors) {
  RankedTensorType x = tensor({0, 5}), y = tensor({3, 5});
  build({x, y}, [&](NnBuilder &nn, ValueRange in) -> SmallVector<Value> {
    return {nn.concat({in[0], in[1]}, 0), sum(nn, in[0], {0})};
  });
  EXPECT_TRUE(agrees({random(x), random(y)}));
}

} // namespace
