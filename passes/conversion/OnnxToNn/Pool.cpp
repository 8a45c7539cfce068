//===- Pool.cpp - Pooling, channels last ----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Nn.h"
#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/Reduce.h"
#include "passes/conversion/OnnxToNn/Window.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mkc;

static FailureOr<Window> readWindow(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(c.input(0));
  if (shape.size() < 3)
    return c.error() << "the input has rank " << shape.size()
                     << ", but needs 3 or more";
  if (!c.hasAttr("kernel_shape"))
    return c.error() << "attribute kernel_shape is missing";
  SmallVector<int64_t> kernel = c.intsAttr("kernel_shape", shape.size() - 2, 1);
  if (c.hadError())
    return failure();
  return Window::read(c, shape.drop_front(2), kernel,
                      c.intAttr("ceil_mode", 0) != 0);
}

namespace {
/// Windows of a tensor whose channels are last: loops (n, out..., c,
/// window...).
struct WindowNest {
  SmallVector<int64_t> extents;
  AffineMap xMap, resultMap;
};
} // namespace

static WindowNest nestOf(NodeConversion &c, Value x, const Window &window) {
  unsigned rank = window.rank(), numDims = 2 + 2 * rank;
  AffineExpr channel = c.dim(1 + rank);
  SmallVector<int64_t> extents = {shapeOf(x)[0]};
  SmallVector<AffineExpr> xIndex = {c.dim(0)}, resultIndex = {c.dim(0)};
  llvm::append_range(extents, window.output);
  extents.push_back(shapeOf(x).back());
  llvm::append_range(extents, window.kernel);
  for (unsigned d = 0; d < rank; ++d) {
    xIndex.push_back(window.index(d, c.dim(1 + d), c.dim(2 + rank + d)));
    resultIndex.push_back(c.dim(1 + d));
  }
  xIndex.push_back(channel);
  resultIndex.push_back(channel);
  return {extents, c.map(numDims, xIndex), c.map(numDims, resultIndex)};
}

static Value emitPool(NodeConversion &c, Value x, const Window &window,
                      nn::PoolKind kind) {
  WindowNest nest = nestOf(c, x, window);
  return c.pool(x, kind, nest.extents, nest.xMap, nest.resultMap);
}

/// What an index in each dim of x, channels last, adds to ONNX's index, which
/// counts in the whole tensor with channels first: images and channels row
/// major, the spatial dims row major or, in storage order 1, column major.
static SmallVector<int64_t> indexStrides(Value channelsLast,
                                         bool isColumnMajor) {
  ArrayRef<int64_t> shape = shapeOf(channelsLast);
  int64_t rank = shape.size(), stride = 1;
  SmallVector<int64_t> strides(rank);
  for (int64_t i = 0; i < rank - 2; ++i) {
    int64_t d = isColumnMajor ? 1 + i : rank - 2 - i;
    strides[d] = stride;
    stride *= shape[d];
  }
  strides[rank - 1] = stride;
  strides[0] = stride * shape[rank - 1];
  return strides;
}

/// The outputs Y and Indices.
static LogicalResult convertArgMaxPool(NodeConversion &c,
                                       const Window &window) {
  if (c.opset() < 8)
    return c.error() << "output 1 at opset " << c.opset()
                     << ", but Indices is there from opset 8 on";
  int64_t order = c.intAttr("storage_order", 0);
  if (order != 0 && order != 1)
    return c.error() << "attribute storage_order is " << order
                     << ", but must be 0 or 1";
  Value x = toChannelsLast(c, c.input(0));
  WindowNest nest = nestOf(c, x, window);
  auto [values, indices] = c.argPool(x, indexStrides(x, order == 1),
                                     nest.extents, nest.xMap, nest.resultMap);
  (void)c.push(fromChannelsLast(c, values));
  return c.push(fromChannelsLast(c, indices));
}

static LogicalResult convertMaxPool(NodeConversion &c) {
  FailureOr<Window> window = readWindow(c);
  if (failed(window))
    return failure();
  if (c.isOutputUsed(1))
    return convertArgMaxPool(c, *window);
  Value y =
      emitPool(c, toChannelsLast(c, c.input(0)), *window, nn::PoolKind::Max);
  return c.push(fromChannelsLast(c, y));
}

/// How many elements of each window along dim `d` count, as a vector: those
/// inside the input, or with `includePad` inside the padded input. All count if
/// no window reaches outside.
static Value windowCounts(NodeConversion &c, const Window &window, unsigned d,
                          bool includePad) {
  int64_t low = includePad ? -window.padBegin[d] : 0;
  int64_t high = window.input[d] + (includePad ? window.padEnd[d] : 0);
  int64_t outputs = window.output[d], step = window.dilations[d],
          reach = (window.kernel[d] - 1) * step;
  if (-window.padBegin[d] >= low &&
      (outputs - 1) * window.strides[d] - window.padBegin[d] + reach < high)
    return c.splat(outputs, c.builder.getF32FloatAttr(window.kernel[d]));
  return c.generic(
      {}, {}, outputs, c.builder.getF32Type(),
      [&](OpBuilder &b, Location at, ValueRange) {
        ScalarMath m(b, at);
        auto number = [&](int64_t value) {
          return m.integer(value, b.getI64Type());
        };
        Value o = arith::IndexCastOp::create(b, at, b.getI64Type(),
                                             linalg::IndexOp::create(b, at, 0));
        Value start = m.sub(m.mul(o, number(window.strides[d])),
                            number(window.padBegin[d]));
        // Elements first..last lie in [low, high). Where a division truncates
        // upwards, its result is below 0 and clamped.
        Value first =
            m.max(m.div(m.sub(number(low + step - 1), start), number(step)),
                  number(0));
        Value last = m.min(m.div(m.sub(number(high - 1), start), number(step)),
                           number(window.kernel[d] - 1));
        Value count = m.max(m.add(m.sub(last, first), number(1)), number(1));
        return m.cast(count, b.getF32Type());
      });
}

/// The sums divided by the counts, which are a product over the spatial dims: a
/// scalar for the dims where all windows count alike, a vector for the others.
static Value divideByCounts(NodeConversion &c, Value sums, const Window &window,
                            bool includePad) {
  unsigned rank = shapeOf(sums).size();
  SmallVector<Value> operands = {sums};
  SmallVector<AffineMap> maps = {c.builder.getMultiDimIdentityMap(rank)};
  double common = 1;
  for (unsigned d = 0; d < window.rank(); ++d) {
    Value counts = windowCounts(c, window, d, includePad);
    if (auto splat = dyn_cast_or_null<FloatAttr>(splatOf(counts))) {
      common *= splat.getValueAsDouble();
      continue;
    }
    operands.push_back(counts);
    maps.push_back(c.map(rank, c.dim(1 + d)));
  }
  if (operands.size() == 1 && common == 1)
    return sums;
  return c.generic(
      operands, maps, shapeOf(sums), elementOf(sums),
      [&](OpBuilder &b, Location at, ValueRange v) {
        ScalarMath m(b, at);
        Value count;
        for (Value factor : v.drop_front())
          count = count ? m.mul(count, factor) : factor;
        if (!count)
          return m.div(v[0], m.number(common, v[0]));
        return m.div(v[0], common == 1 ? count
                                       : m.mul(count, m.number(common, count)));
      });
}

static LogicalResult convertAveragePool(NodeConversion &c) {
  FailureOr<Window> window = readWindow(c);
  if (failed(window))
    return failure();
  bool includePad = c.intAttr("count_include_pad", 0) != 0;
  Value sums =
      emitPool(c, toChannelsLast(c, c.input(0)), *window, nn::PoolKind::Sum);
  return c.push(
      fromChannelsLast(c, divideByCounts(c, sums, *window, includePad)));
}

template <bool isMax>
static LogicalResult convertGlobalPool(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  Value x = c.input(0);
  ArrayRef<int64_t> shape = shapeOf(x);
  if (shape.size() < 3)
    return c.error() << "the input has rank " << shape.size()
                     << ", but needs 3 or more";
  auto axes = llvm::to_vector(llvm::seq<int64_t>(2, shape.size()));
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= shape[axis];
  Value y = isMax ? reduceWith(c, x, axes, ReduceKind::Max)
                  : meanOf(c, x, axes, count);
  return c.push(c.reshape(y, keepDims(shape, axes)));
}

void mkc::addPooling(std::vector<OpEntry> &table) {
  auto add = [&](StringRef name, int64_t since,
                 LogicalResult (*convert)(NodeConversion &)) {
    table.push_back(
        {"", name, OpFamily::Pooling, since, kNewestOpset, kFloats, convert});
  };
  add("MaxPool", 1, convertMaxPool);
  add("AveragePool", 1, convertAveragePool);
  add("GlobalMaxPool", 1, convertGlobalPool<true>);
  add("GlobalAveragePool", 1, convertGlobalPool<false>);
}
