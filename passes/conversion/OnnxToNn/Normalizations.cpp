//===- Normalizations.cpp - Batch, layer and instance normalization -------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/ElementTypes.h"
#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/NodeConversion.h"
#include "passes/conversion/OnnxToNn/OpTable.h"
#include "passes/conversion/OnnxToNn/Reduce.h"
#include "passes/conversion/OnnxToNn/ScalarMath.h"

using namespace mlir;
using namespace mkc;

/// Checks that `value` is a vector with one element per channel of `x`.
static LogicalResult expectPerChannel(NodeConversion &c, Value x, Value value,
                                      StringRef what) {
  if (shapeOf(value).size() == 1 && shapeOf(value)[0] == shapeOf(x)[1])
    return success();
  return c.error() << what << " has shape " << shapeText(shapeOf(value))
                   << ", but the input has " << shapeOf(x)[1] << " channels";
}

/// The map that reads a vector per channel, dim 1 of `rank`.
static AffineMap channelMap(NodeConversion &c, unsigned rank) {
  return c.map(rank, c.dim(1));
}

static LogicalResult expectChannels(NodeConversion &c, Value x) {
  if (shapeOf(x).size() >= 2)
    return success();
  return c.error() << "the input has rank " << shapeOf(x).size()
                   << ", but needs 2 or more";
}

/// From opset 14 on the statistics have a type of their own, from 15 on scale
/// and bias too.
static LogicalResult expectBatchTypes(NodeConversion &c) {
  if (c.opset() < 14)
    return c.expectSameType();
  if (c.opset() < 15 && failed(c.expectSameType({0, 1, 2})))
    return failure();
  return success(succeeded(c.expectSameType({1, 2})) &&
                 succeeded(c.expectSameType({3, 4})));
}

namespace {
/// The parts of (x - mean) / sqrt(variance + epsilon) over some axes.
struct Normalized {
  Value mean, centered, squares, inverse; ///< squares: sums of centered^2.
  int64_t count; ///< Of the elements that a mean is of.
};
} // namespace

static Normalized normalize(NodeConversion &c, Value x, ArrayRef<int64_t> axes,
                            double epsilon) {
  Normalized parts;
  parts.count = 1;
  for (int64_t axis : axes)
    parts.count *= shapeOf(x)[axis];
  parts.mean = meanOf(c, x, axes, parts.count);
  parts.centered = combineReduced(c, x, parts.mean, axes,
                                  [](OpBuilder &b, Location at, ValueRange v) {
                                    return ScalarMath(b, at).sub(v[0], v[1]);
                                  });
  parts.squares =
      reduceWith(c, parts.centered, axes, ReduceKind::Sum,
                 [](const ScalarMath &m, Value v) { return m.mul(v, v); });
  parts.inverse = c.elementwise(
      parts.squares, shapeOf(parts.squares), elementOf(x),
      [&](OpBuilder &b, Location at, ValueRange v) {
        ScalarMath m(b, at);
        Value variance = m.div(v[0], m.number(double(parts.count), v[0]));
        return m.div(m.number(1, v[0]),
                     m.sqrt(m.add(variance, m.number(epsilon, v[0]))));
      });
  return parts;
}

/// centered * inverse * scale + bias, with `scale` and an optional `bias` read
/// at `map`.
static Value scaleAndShift(NodeConversion &c, const Normalized &parts,
                           ArrayRef<int64_t> axes, Value scale, Value bias,
                           AffineMap scaleMap, AffineMap biasMap) {
  ArrayRef<int64_t> shape = shapeOf(parts.centered);
  SmallVector<AffineExpr> kept;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (!llvm::is_contained(axes, int64_t(d)))
      kept.push_back(c.dim(d));
  SmallVector<Value> operands = {parts.centered, parts.inverse, scale};
  SmallVector<AffineMap> maps = {c.builder.getMultiDimIdentityMap(shape.size()),
                                 c.map(shape.size(), kept), scaleMap};
  if (bias) {
    operands.push_back(bias);
    maps.push_back(biasMap);
  }
  return c.generic(operands, maps, shape, elementOf(scale),
                   [&](OpBuilder &b, Location at, ValueRange v) {
                     ScalarMath m(b, at);
                     Value y = m.mul(m.mul(v[0], v[1]), v[2]);
                     return bias ? m.add(y, v[3]) : y;
                   });
}

/// statistic * momentum + current * (1 - momentum) in the statistic's type,
/// where `current` is `sum` / `count`.
static LogicalResult pushRunning(NodeConversion &c, unsigned statistic,
                                 Value sum, int64_t count) {
  double momentum = c.floatAttr("momentum", 0.9);
  Value old = c.input(statistic);
  Value running = c.elementwise(
      {old, sum}, shapeOf(old), elementOf(old),
      [&](OpBuilder &b, Location at, ValueRange v) {
        ScalarMath m(b, at);
        Value current = m.div(v[1], m.number(double(count), v[1]));
        return m.add(m.mul(v[0], m.number(momentum, v[0])),
                     m.mul(current, m.number(1 - momentum, v[0])));
      });
  Type type = c.inputType(statistic);
  return c.pushTyped(nn::isHalf(type) ? c.rounded(running, type) : running);
}

/// Training, from opset 14 on: normalizes by the batch's own mean and
/// population variance, and updates the running ones.
static LogicalResult trainBatchNormalization(NodeConversion &c) {
  Value x = c.input(0);
  unsigned rank = shapeOf(x).size();
  SmallVector<int64_t> axes = {0};
  llvm::append_range(axes, llvm::seq<int64_t>(2, rank));
  Normalized parts = normalize(c, x, axes, c.floatAttr("epsilon", 1e-5));
  AffineMap channel = channelMap(c, rank);
  c.results.push_back(
      scaleAndShift(c, parts, axes, c.input(1), c.input(2), channel, channel));
  (void)pushRunning(c, 3, parts.mean, 1);
  return pushRunning(c, 4, parts.squares, parts.count);
}

/// Outside of training, x * a + b with a = scale / sqrt(variance + epsilon) and
/// b = bias
/// - mean * a per channel.
static LogicalResult convertBatchNormalization(NodeConversion &c) {
  if (failed(c.expectInputs(5, 5)) || failed(expectBatchTypes(c)) ||
      failed(expectChannels(c, c.input(0))))
    return failure();
  bool isTraining = c.opset() >= 14  ? c.intAttr("training_mode", 0) != 0
                    : c.opset() == 6 ? c.intAttr("is_test", 0) == 0
                                     : c.isOutputUsed(1);
  if (isTraining && c.opset() < 14)
    return c.unsupported("training mode before opset 14");
  for (unsigned i = 1; !isTraining && i < c.numOutputs(); ++i)
    if (c.isOutputUsed(i))
      return c.error() << "output " << i << " is given in training mode only";
  if (c.opset() < 9 && c.intAttr("spatial", 1) == 0)
    return c.unsupported("spatial = 0");
  double epsilon = c.floatAttr("epsilon", 1e-5);
  Value x = c.input(0), scale = c.input(1), bias = c.input(2),
        mean = c.input(3), variance = c.input(4);
  for (auto [value, name] : {std::pair(scale, "scale"),
                             {bias, "bias"},
                             {mean, "mean"},
                             {variance, "variance"}})
    if (failed(expectPerChannel(c, x, value, name)))
      return failure();
  if (isTraining)
    return trainBatchNormalization(c);
  Type element = elementOf(x);
  Value a = c.elementwise(
      {scale, variance}, shapeOf(scale), element,
      [&](OpBuilder &b, Location at, ValueRange v) {
        ScalarMath m(b, at);
        return m.div(v[0], m.sqrt(m.add(v[1], m.number(epsilon, v[1]))));
      });
  Value offset = c.elementwise({bias, mean, a}, shapeOf(scale), element,
                               [](OpBuilder &b, Location at, ValueRange v) {
                                 ScalarMath m(b, at);
                                 return m.sub(v[0], m.mul(v[1], v[2]));
                               });
  unsigned rank = shapeOf(x).size();
  AffineMap channel = channelMap(c, rank);
  return c.push(c.generic(
      {x, a, offset},
      {c.builder.getMultiDimIdentityMap(rank), channel, channel}, shapeOf(x),
      element, [](OpBuilder &b, Location at, ValueRange v) {
        ScalarMath m(b, at);
        return m.add(m.mul(v[0], v[1]), v[2]);
      }));
}

/// The map that reads `value` where it broadcasts to `shape` from the last dim
/// on, or an error.
static FailureOr<AffineMap> broadcastMap(NodeConversion &c, Value value,
                                         ArrayRef<int64_t> shape,
                                         StringRef what) {
  ArrayRef<int64_t> from = shapeOf(value);
  auto joined = broadcastShapes(shape, from);
  if (!joined || ArrayRef<int64_t>(*joined) != shape)
    return c.error() << what << " of shape " << shapeText(from)
                     << " does not broadcast to " << shapeText(shape);
  SmallVector<AffineExpr> results;
  for (auto [i, size] : llvm::enumerate(from)) {
    unsigned d = shape.size() - from.size() + i;
    results.push_back(size == 1 && shape[d] != 1 ? c.number(0) : c.dim(d));
  }
  return c.map(shape.size(), results);
}

static LogicalResult convertLayerNormalization(NodeConversion &c) {
  if (failed(c.expectInputs(2, 3)) || failed(c.expectSameType()))
    return failure();
  Value x = c.input(0), scale = c.input(1), bias = c.input(2);
  int64_t rank = shapeOf(x).size();
  FailureOr<int64_t> axis = c.normalizeAxis(c.intAttr("axis", -1), rank);
  if (failed(axis))
    return failure();
  FailureOr<AffineMap> scaleMap = broadcastMap(c, scale, shapeOf(x), "scale"),
                       biasMap = AffineMap();
  if (bias)
    biasMap = broadcastMap(c, bias, shapeOf(x), "bias");
  if (failed(scaleMap) || failed(biasMap))
    return failure();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(*axis, rank));
  Normalized parts = normalize(c, x, axes, c.floatAttr("epsilon", 1e-5));
  SmallVector<int64_t> kept = keepDims(shapeOf(x), axes);
  Type stash =
      elementTypeOfOnnx(c.intAttr("stash_type", kOnnxFloat), c.getContext());
  if (!stash || (!stash.isF32() && !nn::isHalf(stash)))
    return c.error() << "attribute stash_type is "
                     << c.intAttr("stash_type", kOnnxFloat)
                     << ", which is no type that the mean is given in";
  auto stashed = [&](Value value) {
    value = c.reshape(value, kept);
    return nn::isHalf(stash) ? c.rounded(value, stash) : value;
  };
  c.results.push_back(
      scaleAndShift(c, parts, axes, scale, bias, *scaleMap, *biasMap));
  (void)c.pushTyped(stashed(parts.mean));
  return c.pushTyped(stashed(parts.inverse));
}

static LogicalResult convertInstanceNormalization(NodeConversion &c) {
  if (failed(c.expectInputs(3, 3)) || failed(c.expectSameType()) ||
      failed(expectChannels(c, c.input(0))))
    return failure();
  Value x = c.input(0), scale = c.input(1), bias = c.input(2);
  if (failed(expectPerChannel(c, x, scale, "scale")) ||
      failed(expectPerChannel(c, x, bias, "bias")))
    return failure();
  unsigned rank = shapeOf(x).size();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(2, rank));
  Normalized parts = normalize(c, x, axes, c.floatAttr("epsilon", 1e-5));
  AffineMap channel = channelMap(c, rank);
  return c.push(scaleAndShift(c, parts, axes, scale, bias, channel, channel));
}

void mkc::addNormalizations(std::vector<OpEntry> &table) {
  auto add = [&](StringRef name, int64_t since,
                 LogicalResult (*convert)(NodeConversion &)) {
    table.push_back({"", name, OpFamily::Normalization, since, kNewestOpset,
                     kFloats, convert});
  };
  add("BatchNormalization", 6, convertBatchNormalization);
  add("LayerNormalization", 17, convertLayerNormalization);
  add("InstanceNormalization", 6, convertInstanceNormalization);
}
