//===- EvaluateNn.cpp - The ops of the nn dialect in the interpreter ------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Interpreter/Domain.h"
#include "passes/graph/Interpreter/Evaluate.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

using namespace mlir;
using namespace mkc;

/// Calls `fn` with a value of the C++ type that elements of `type` are computed
/// in.
template <typename F> static void onElements(Type type, F fn) {
  if (type.isF64())
    fn(double());
  else if (isa<FloatType>(type))
    fn(float());
  else if (type.isInteger(1))
    fn(uint8_t());
  else if (type.isInteger(32))
    fn(int32_t());
  else
    fn(int64_t());
}

namespace {
/// A result of x whose index can leave x: points where it does are skipped.
struct PaddedIndex {
  int64_t size;
  OffsetTable index;
};

/// The loops that nn.contract, nn.pool and nn.arg_pool share. For every point
/// of the parallel dims but one, the vector dim, the reduction's points run
/// outside and the vector inside, so that the innermost loop is a plain one
/// over arrays.
struct WindowLoops {
  ArrayRef<int64_t> extents;
  SmallVector<unsigned> outer, reduced;
  std::optional<unsigned> vector;
  OffsetTable x, result;
  SmallVector<PaddedIndex> padded;

  WindowLoops(ArrayRef<int64_t> extents, AffineMap xMap,
              ArrayRef<int64_t> xShape, AffineMap resultMap,
              ArrayRef<int64_t> resultShape)
      : extents(extents), x(xMap, extents, xShape),
        result(resultMap, extents, resultShape) {
    for (auto [expr, size] : llvm::zip_equal(xMap.getResults(), xShape))
      addIfPadded(expr, size);
    unsigned last = resultMap.getNumResults();
    if (last > 0 && !movesPadding(resultMap.getDimPosition(last - 1)))
      vector = resultMap.getDimPosition(last - 1);
    for (unsigned d = 0; d < extents.size(); ++d) {
      if (!resultMap.isFunctionOfDim(d))
        reduced.push_back(d);
      else if (d != vector)
        outer.push_back(d);
    }
  }

  void addIfPadded(AffineExpr expr, int64_t size) {
    OffsetTable index(AffineMap::get(extents.size(), 0, expr), extents, {size});
    int64_t low = index.base(), high = index.base();
    for (auto [d, extent] : llvm::enumerate(extents))
      high += extent > 0 ? index.at(d, extent - 1) : 0;
    if (low < 0 || high >= size)
      padded.push_back({size, std::move(index)});
  }
  bool movesPadding(unsigned d) const {
    return llvm::any_of(padded, [&](const PaddedIndex &index) {
      return extents[d] > 1 && index.index.stride(d) != 0;
    });
  }
  bool isInside(ArrayRef<int64_t> outerIndex,
                ArrayRef<int64_t> innerIndex) const {
    for (auto [i, index] : llvm::enumerate(padded)) {
      int64_t value = outerIndex[i] + innerIndex[i];
      if (value < 0 || value >= index.size)
        return false;
    }
    return true;
  }
  /// The padded indices at `point`, with the maps' constants or without.
  SmallVector<int64_t> paddedAt(ArrayRef<int64_t> point,
                                bool withConstants) const {
    SmallVector<int64_t> values;
    for (const PaddedIndex &index : padded)
      values.push_back(index.index.offset(point) -
                       (withConstants ? 0 : index.index.base()));
    return values;
  }
};

/// A point of the reduction: what it adds to the offsets in x and in the other
/// operand.
struct ReductionPoint {
  int64_t x, w;
  SmallVector<int64_t> padded;
};
} // namespace

static SmallVector<ReductionPoint> reductionPoints(const WindowLoops &loops,
                                                   const OffsetTable *w) {
  SmallVector<ReductionPoint> points;
  forEachPoint(loops.extents, loops.reduced, [&](ArrayRef<int64_t> point) {
    points.push_back({loops.x.offset(point) - loops.x.base(),
                      w ? w->offset(point) - w->base() : 0,
                      loops.paddedAt(point, /*withConstants=*/false)});
  });
  return points;
}

template <typename T>
static void contract(nn::ContractOp op, Environment &env) {
  // Sums in f64 round once; integer sums wrap, on the unsigned type.
  using Sum = typename std::conditional_t<std::is_floating_point_v<T>,
                                          std::type_identity<double>,
                                          std::make_unsigned<T>>::type;
  TensorValue xValue = env.lookup(op.getX()).widened(),
              wValue = env.lookup(op.getW()).widened();
  TensorValue result(cast<RankedTensorType>(op.getType()));
  WindowLoops loops(op.getExtents(), op.getXMap(), xValue.getShape(),
                    op.getResultMap(), result.getShape());
  OffsetTable w(op.getWMap(), op.getExtents(), wValue.getShape());
  SmallVector<ReductionPoint> points = reductionPoints(loops, &w);
  int64_t length = loops.vector ? loops.extents[*loops.vector] : 1;
  int64_t xStride = loops.vector ? loops.x.stride(*loops.vector) : 0;
  std::vector<int64_t> wOffsets(length, 0);
  for (int64_t v = 0; loops.vector && v < length; ++v)
    wOffsets[v] = w.at(*loops.vector, v);
  bool wIsDense = loops.vector && w.isLinear(*loops.vector) &&
                  (length < 2 || w.stride(*loops.vector) == 1);
  std::vector<Sum> sums(length);

  forEachPoint(loops.extents, loops.outer, [&](ArrayRef<int64_t> point) {
    SmallVector<int64_t> padded = loops.paddedAt(point, true);
    const T *xAt = xValue.data<T>() + loops.x.offset(point);
    const T *wAt = wValue.data<T>() + w.offset(point);
    std::fill(sums.begin(), sums.end(), Sum(0));
    for (const ReductionPoint &r : points) {
      if (!loops.isInside(padded, r.padded))
        continue;
      const T *xs = xAt + r.x, *ws = wAt + r.w;
      Sum *to = sums.data();
      if (wIsDense && xStride == 0)
        for (int64_t v = 0; v < length; ++v)
          to[v] += Sum(*xs) * Sum(ws[v]);
      else
        for (int64_t v = 0; v < length; ++v)
          to[v] += Sum(xs[v * xStride]) * Sum(ws[wOffsets[v]]);
    }
    T *to = result.data<T>() + loops.result.offset(point);
    int64_t stride = loops.vector ? loops.result.stride(*loops.vector) : 0;
    for (int64_t v = 0; v < length; ++v)
      to[v * stride] = T(sums[v]);
  });
  env[op.getResult()] = result;
}

void mkc::evaluateContract(nn::ContractOp op, Environment &environment) {
  onElements(getElementTypeOrSelf(op.getType()),
             [&](auto t) { contract<decltype(t)>(op, environment); });
}

template <typename T> static T lowest() {
  if constexpr (std::is_floating_point_v<T>)
    return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

template <typename T> static void pool(nn::PoolOp op, Environment &env) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
  bool isMax = op.getKind() == nn::PoolKind::Max;
  TensorValue xValue = env.lookup(op.getX()).widened();
  TensorValue result(cast<RankedTensorType>(op.getType()));
  WindowLoops loops(op.getExtents(), op.getXMap(), xValue.getShape(),
                    op.getResultMap(), result.getShape());
  SmallVector<ReductionPoint> points = reductionPoints(loops, nullptr);
  int64_t length = loops.vector ? loops.extents[*loops.vector] : 1;
  int64_t xStride = loops.vector ? loops.x.stride(*loops.vector) : 0;
  int64_t stride = loops.vector ? loops.result.stride(*loops.vector) : 0;

  forEachPoint(loops.extents, loops.outer, [&](ArrayRef<int64_t> point) {
    SmallVector<int64_t> padded = loops.paddedAt(point, true);
    const T *xAt = xValue.data<T>() + loops.x.offset(point);
    std::vector<T> largest(length, lowest<T>());
    std::vector<Sum> sums(length, Sum(0));
    for (const ReductionPoint &r : points) {
      if (!loops.isInside(padded, r.padded))
        continue;
      for (int64_t v = 0; v < length; ++v) {
        T value = xAt[r.x + v * xStride];
        if (!isMax)
          sums[v] += Sum(value);
        else if (value > largest[v] || value != value)
          largest[v] = value;
      }
    }
    // A NaN compares false with everything, so it stays once it is the largest.
    T *to = result.data<T>() + loops.result.offset(point);
    for (int64_t v = 0; v < length; ++v)
      to[v * stride] = isMax ? largest[v] : T(sums[v]);
  });
  env[op.getResult()] = result;
}

void mkc::evaluatePool(nn::PoolOp op, Environment &environment) {
  onElements(getElementTypeOrSelf(op.getType()),
             [&](auto t) { pool<decltype(t)>(op, environment); });
}

template <typename T> static void argPool(nn::ArgPoolOp op, Environment &env) {
  TensorValue xValue = env.lookup(op.getX()).widened();
  TensorValue values(cast<RankedTensorType>(op.getValues().getType()));
  TensorValue indices(cast<RankedTensorType>(op.getIndices().getType()));
  WindowLoops loops(op.getExtents(), op.getXMap(), xValue.getShape(),
                    op.getResultMap(), values.getShape());
  AffineExpr flat = getAffineConstantExpr(0, op.getContext());
  for (auto [expr, stride] :
       llvm::zip_equal(op.getXMap().getResults(), op.getIndexStrides()))
    flat = flat + expr * stride;
  OffsetTable index(AffineMap::get(op.getExtents().size(), 0, flat),
                    op.getExtents(), {1});
  SmallVector<ReductionPoint> points = reductionPoints(loops, &index);
  int64_t length = loops.vector ? loops.extents[*loops.vector] : 1;
  int64_t xStride = loops.vector ? loops.x.stride(*loops.vector) : 0;
  int64_t stride = loops.vector ? loops.result.stride(*loops.vector) : 0;

  forEachPoint(loops.extents, loops.outer, [&](ArrayRef<int64_t> point) {
    SmallVector<int64_t> padded = loops.paddedAt(point, true);
    const T *xAt = xValue.data<T>() + loops.x.offset(point);
    int64_t indexAt = index.offset(point);
    std::vector<T> largest(length, lowest<T>());
    std::vector<int64_t> where(length, 0);
    // Backwards, so that the first of equal ones and the first NaN stay.
    for (const ReductionPoint &r : llvm::reverse(points)) {
      if (!loops.isInside(padded, r.padded))
        continue;
      for (int64_t v = 0; v < length; ++v) {
        T value = xAt[r.x + v * xStride];
        if (!(value >= largest[v] || value != value))
          continue;
        largest[v] = value;
        where[v] =
            indexAt + r.w + (loops.vector ? index.at(*loops.vector, v) : 0);
      }
    }
    int64_t at = loops.result.offset(point);
    for (int64_t v = 0; v < length; ++v) {
      values.data<T>()[at + v * stride] = largest[v];
      indices.data<int64_t>()[at + v * stride] = where[v];
    }
  });
  env[op.getValues()] = values;
  env[op.getIndices()] = indices;
}

void mkc::evaluateArgPool(nn::ArgPoolOp op, Environment &environment) {
  onElements(getElementTypeOrSelf(op.getValues().getType()),
             [&](auto t) { argPool<decltype(t)>(op, environment); });
}

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

LogicalResult mkc::evaluateGather(nn::GatherOp op, Environment &environment,
                                  std::string &error) {
  TensorValue data = environment.lookup(op.getData());
  TensorValue indices = environment.lookup(op.getIndices());
  TensorValue result(cast<RankedTensorType>(op.getType()));
  int64_t axis = op.getAxis(), size = data.getShape()[axis];
  int64_t outer = product(data.getShape().take_front(axis));
  int64_t rowBytes = product(data.getShape().drop_front(axis + 1)) *
                     elementBytes(data.getElementType());
  bool isNarrow = indices.getElementType().isInteger(32);
  char *to = result.raw();
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < indices.getNumElements(); ++i, to += rowBytes) {
      int64_t index =
          isNarrow ? indices.data<int32_t>()[i] : indices.data<int64_t>()[i];
      if (index < -size || index >= size) {
        error = "index " + std::to_string(index) + " at position " +
                std::to_string(i) + " is outside [" + std::to_string(-size) +
                ", " + std::to_string(size - 1) + "]";
        return failure();
      }
      int64_t row = o * size + (index < 0 ? index + size : index);
      std::copy_n(data.raw() + row * rowBytes, rowBytes, to);
    }
  }
  environment[op.getResult()] = result;
  return success();
}

template <typename T>
static void argReduce(nn::ArgReduceOp op, Environment &env) {
  TensorValue x = env.lookup(op.getX()).widened();
  TensorValue result(cast<RankedTensorType>(op.getType()));
  int64_t axis = op.getAxis(), size = x.getShape()[axis];
  int64_t outer = product(x.getShape().take_front(axis));
  int64_t inner = product(x.getShape().drop_front(axis + 1));
  bool isMax = op.getIsMax(), last = op.getLast();
  int64_t *to = result.data<int64_t>();
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const T *from = x.data<T>() + o * size * inner + i;
      int64_t best = 0;
      for (int64_t k = 1; k < size; ++k) {
        T value = from[k * inner], current = from[best * inner];
        bool isNan = value != value, hasNan = current != current;
        bool equal = value == current || (isNan && hasNan);
        bool better =
            isNan ? !hasNan
                  : !hasNan && (isMax ? value > current : value < current);
        if (better || (last && equal))
          best = k;
      }
      *to++ = best;
    }
  }
  env[op.getResult()] = result;
}

void mkc::evaluateArgReduce(nn::ArgReduceOp op, Environment &environment) {
  onElements(getElementTypeOrSelf(op.getX().getType()),
             [&](auto t) { argReduce<decltype(t)>(op, environment); });
}
