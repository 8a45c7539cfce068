//===- Reductions.cpp - Reductions, softmax -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/NodeConversion.h"
#include "passes/conversion/OnnxToNn/Reduce.h"
#include "passes/conversion/OnnxToNn/ScalarMath.h"

#include <cmath>

using namespace mlir;
using namespace mkc;

using Method = Value (ScalarMath::*)(Value, Value) const;
using Map = Value (*)(const ScalarMath &, Value);

//===----------------------------------------------------------------------===//
// Helpers that normalizations use too
//===----------------------------------------------------------------------===//

Value mkc::reduceWith(NodeConversion &c, Value x, ArrayRef<int64_t> axes,
                      ReduceKind kind, Map map) {
  Type element = elementOf(x);
  return c.reduce(x, axes, reductionInit(kind, element),
                  [&](OpBuilder &b, Location at, ValueRange v) {
                    ScalarMath m(b, at);
                    Value value = map ? map(m, v[0]) : v[0];
                    switch (kind) {
                    case ReduceKind::Sum:
                      return m.add(v[1], value);
                    case ReduceKind::Product:
                      return m.mul(v[1], value);
                    case ReduceKind::Max:
                      return m.max(v[1], value);
                    case ReduceKind::Min:
                      return m.min(v[1], value);
                    }
                    return value;
                  });
}

TypedAttr mkc::reductionInit(ReduceKind kind, Type element) {
  Builder b(element.getContext());
  if (kind == ReduceKind::Sum || kind == ReduceKind::Product) {
    int64_t value = kind == ReduceKind::Product;
    if (isa<FloatType>(element))
      return b.getFloatAttr(element, value);
    return b.getIntegerAttr(element, value);
  }
  bool isMax = kind == ReduceKind::Max;
  if (isa<FloatType>(element)) {
    double infinity = std::numeric_limits<double>::infinity();
    return b.getFloatAttr(element, isMax ? -infinity : infinity);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    return b.getIntegerAttr(element, isMax ? 0 : 1);
  return b.getIntegerAttr(element, isMax ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width));
}

Value mkc::combineReduced(NodeConversion &c, Value x, Value reduced,
                          ArrayRef<int64_t> axes, NnBuilder::Body body) {
  ArrayRef<int64_t> shape = shapeOf(x);
  SmallVector<AffineExpr> kept;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (!llvm::is_contained(axes, int64_t(d)))
      kept.push_back(c.dim(d));
  AffineMap identity = c.builder.getMultiDimIdentityMap(shape.size());
  return c.generic({x, reduced}, {identity, c.map(shape.size(), kept)}, shape,
                   elementOf(x), body);
}

SmallVector<int64_t> mkc::keepDims(ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> axes) {
  SmallVector<int64_t> kept(shape);
  for (int64_t axis : axes)
    kept[axis] = 1;
  return kept;
}

//===----------------------------------------------------------------------===//
// Reduce*
//===----------------------------------------------------------------------===//

/// The axes: an attribute up to opset 17 (12 for ReduceSum), an input after
/// that. All, if there are none.
static FailureOr<SmallVector<int64_t>> reducedAxes(NodeConversion &c) {
  int64_t rank = shapeOf(c.input(0)).size();
  auto axes = c.intsFromAttrOrInput("axes", 1);
  if (failed(axes))
    return failure();
  if (*axes && !(*axes)->empty())
    return c.normalizeAxes(**axes, rank);
  if (c.intAttr("noop_with_empty_axes", 0))
    return SmallVector<int64_t>();
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

static LogicalResult pushReduced(NodeConversion &c, Value reduced,
                                 ArrayRef<int64_t> axes) {
  if (!c.intAttr("keepdims", 1))
    return c.push(reduced);
  return c.push(c.reshape(reduced, keepDims(shapeOf(c.input(0)), axes)));
}

static Value mapAll(NodeConversion &c, Value x,
                    llvm::function_ref<Value(const ScalarMath &, Value)> map) {
  return c.elementwise(x, shapeOf(x), elementOf(x),
                       [&](OpBuilder &b, Location at, ValueRange v) {
                         return map(ScalarMath(b, at), v[0]);
                       });
}

/// Applies `before` to the elements, reduces, applies `after` to the result.
/// With `inFloat`, integers are computed in f32 and truncated.
template <ReduceKind kind, Map before = nullptr, Map after = nullptr,
          bool inFloat = false>
static LogicalResult convertReduce(NodeConversion &c) {
  if (failed(c.expectInputs(1, 2)))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = reducedAxes(c);
  if (failed(axes))
    return failure();
  Value x = c.input(0);
  Type type = elementOf(x);
  if (inFloat && !isFloat(x))
    x = c.elementwise(x, shapeOf(x), c.builder.getF32Type(),
                      [](OpBuilder &b, Location at, ValueRange v) {
                        return ScalarMath(b, at).cast(v[0], b.getF32Type());
                      });
  Value y = reduceWith(c, x, *axes, kind, before);
  if constexpr (after != nullptr)
    y = mapAll(c, y, after);
  if (elementOf(y) != type)
    y = c.elementwise(y, shapeOf(y), type,
                      [&](OpBuilder &b, Location at, ValueRange v) {
                        return ScalarMath(b, at).cast(v[0], type);
                      });
  return pushReduced(c, y, *axes);
}

static Value square(const ScalarMath &m, Value x) { return m.mul(x, x); }
static Value absolute(const ScalarMath &m, Value x) { return m.abs(x); }
static Value logarithm(const ScalarMath &m, Value x) { return m.log(x); }
static Value root(const ScalarMath &m, Value x) { return m.sqrt(x); }

static int64_t countReduced(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= shape[axis];
  return count;
}

static LogicalResult convertReduceMean(NodeConversion &c) {
  if (failed(c.expectInputs(1, 2)))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = reducedAxes(c);
  if (failed(axes))
    return failure();
  Value x = c.input(0);
  int64_t count = countReduced(shapeOf(x), *axes);
  return pushReduced(c, meanOf(c, x, *axes, count), *axes);
}

Value mkc::meanOf(NodeConversion &c, Value x, ArrayRef<int64_t> axes,
                  int64_t count) {
  Value sum = reduceWith(c, x, axes, ReduceKind::Sum);
  if (count == 1)
    return sum;
  return mapAll(c, sum, [&](const ScalarMath &m, Value v) {
    return m.div(v, m.number(double(count), v));
  });
}

/// log(sum(exp(x - max))) + max, where the maximum counts as 0 if it is
/// infinite.
static LogicalResult convertReduceLogSumExp(NodeConversion &c) {
  if (failed(c.expectInputs(1, 2)))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = reducedAxes(c);
  if (failed(axes))
    return failure();
  Value x = c.input(0);
  Type type = elementOf(x), f32 = c.builder.getF32Type();
  auto castAll = [&](Value v, Type to) {
    if (elementOf(v) == to)
      return v;
    return c.elementwise(v, shapeOf(v), to,
                         [&](OpBuilder &b, Location at, ValueRange e) {
                           return ScalarMath(b, at).cast(e[0], to);
                         });
  };
  x = castAll(x, f32);
  Value largest =
      mapAll(c, reduceWith(c, x, *axes, ReduceKind::Max),
             [](const ScalarMath &m, Value v) {
               Value infinity =
                   m.number(std::numeric_limits<double>::infinity(), v);
               return m.select(m.eq(m.abs(v), infinity), m.number(0, v), v);
             });
  Value exps = combineReduced(c, x, largest, *axes,
                              [](OpBuilder &b, Location at, ValueRange v) {
                                ScalarMath m(b, at);
                                return m.exp(m.sub(v[0], v[1]));
                              });
  Value sum = reduceWith(c, exps, *axes, ReduceKind::Sum);
  Value y = c.elementwise({sum, largest}, shapeOf(sum), f32,
                          [](OpBuilder &b, Location at, ValueRange v) {
                            ScalarMath m(b, at);
                            return m.add(m.log(v[0]), v[1]);
                          });
  return pushReduced(c, castAll(y, type), *axes);
}

template <bool isMax> static LogicalResult convertArgReduce(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  Value x = c.input(0);
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.intAttr("axis", 0), shapeOf(x).size());
  if (failed(axis))
    return failure();
  if (shapeOf(x)[*axis] == 0)
    return c.error() << "axis " << *axis << " of shape "
                     << shapeText(shapeOf(x)) << " is empty";
  Value y =
      c.argReduce(x, *axis, isMax, c.intAttr("select_last_index", 0) != 0);
  return pushReduced(c, y, *axis);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Up to opset 12 all dims from `axis` on are one (the coercion to 2-D), after
/// that `axis` is the only one.
static FailureOr<SmallVector<int64_t>> softmaxAxes(NodeConversion &c) {
  int64_t rank = shapeOf(c.input(0)).size();
  bool isOld = c.opset() < 13;
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.intAttr("axis", isOld ? 1 : -1), rank, isOld);
  if (failed(axis))
    return failure();
  return llvm::to_vector(llvm::seq<int64_t>(*axis, isOld ? rank : *axis + 1));
}

template <bool isLog> static LogicalResult convertSoftmax(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = softmaxAxes(c);
  if (failed(axes))
    return failure();
  Value x = c.input(0);
  Value largest = reduceWith(c, x, *axes, ReduceKind::Max);
  auto shifted = [](const ScalarMath &m, ValueRange v) {
    return m.sub(v[0], v[1]);
  };
  if (!isLog) {
    Value exps = combineReduced(c, x, largest, *axes,
                                [&](OpBuilder &b, Location at, ValueRange v) {
                                  ScalarMath m(b, at);
                                  return m.exp(shifted(m, v));
                                });
    Value sum = reduceWith(c, exps, *axes, ReduceKind::Sum);
    return c.push(combineReduced(c, exps, sum, *axes,
                                 [](OpBuilder &b, Location at, ValueRange v) {
                                   return ScalarMath(b, at).div(v[0], v[1]);
                                 }));
  }
  Value centered = combineReduced(c, x, largest, *axes,
                                  [&](OpBuilder &b, Location at, ValueRange v) {
                                    return shifted(ScalarMath(b, at), v);
                                  });
  Value sum = reduceWith(c, centered, *axes, ReduceKind::Sum,
                         [](const ScalarMath &m, Value v) { return m.exp(v); });
  return c.push(combineReduced(c, centered, sum, *axes,
                               [](OpBuilder &b, Location at, ValueRange v) {
                                 ScalarMath m(b, at);
                                 return m.sub(v[0], m.log(v[1]));
                               }));
}

void mkc::addReductions(std::vector<OpEntry> &table) {
  auto add = [&](StringRef name, ElementTypes types,
                 LogicalResult (*convert)(NodeConversion &)) {
    table.push_back({"", name, OpFamily::Reduction, 1, kNewestOpset, types,
                     convert, 0, 0b10});
  };
  add("ReduceSum", kNumbers, convertReduce<ReduceKind::Sum>);
  add("ReduceProd", kNumbers, convertReduce<ReduceKind::Product>);
  add("ReduceMax", kLevel2Types, convertReduce<ReduceKind::Max>);
  add("ReduceMin", kLevel2Types, convertReduce<ReduceKind::Min>);
  add("ReduceMean", kNumbers, convertReduceMean);
  add("ReduceL1", kNumbers, convertReduce<ReduceKind::Sum, absolute>);
  add("ReduceL2", kNumbers, convertReduce<ReduceKind::Sum, square, root, true>);
  add("ReduceSumSquare", kNumbers, convertReduce<ReduceKind::Sum, square>);
  add("ReduceLogSum", kNumbers,
      convertReduce<ReduceKind::Sum, nullptr, logarithm, true>);
  add("ReduceLogSumExp", kNumbers, convertReduceLogSumExp);
  add("ArgMax", kNumbers, convertArgReduce<true>);
  add("ArgMin", kNumbers, convertArgReduce<false>);
  add("Softmax", kFloats, convertSoftmax<false>);
  add("LogSoftmax", kFloats, convertSoftmax<true>);
}
