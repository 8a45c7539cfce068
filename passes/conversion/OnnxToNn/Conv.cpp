//===- Conv.cpp - Convolutions, channels last -----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/OpTable.h"
#include "passes/conversion/OnnxToNn/ScalarMath.h"
#include "passes/conversion/OnnxToNn/Window.h"

using namespace mlir;
using namespace mkc;

namespace {
/// A convolution on x of shape (n, spatial..., c): each method gives a result
/// (n, spatial..., k).
struct ConvEmitter {
  NodeConversion &c;
  Window window;
  Value x, w; // channels last; (K, C / groups, kernel...)
  int64_t groups;

  int64_t batch() const { return shapeOf(x)[0]; }
  int64_t channelsPerGroup() const { return shapeOf(w)[1]; }
  int64_t kernels() const { return shapeOf(w)[0]; }

  Value emit();
  Value pointwise();
  Value dense();
  Value depthwise();
  Value grouped();

private:
  /// Builds the loops and maps: dims are added in order, each to the maps that
  /// read it.
  struct Loops {
    SmallVector<int64_t> extents;
    unsigned add(int64_t extent) {
      extents.push_back(extent);
      return extents.size() - 1;
    }
  };
  /// Adds n and the output's spatial dims; gives the first spatial dim.
  unsigned addOutput(Loops &loops) {
    loops.add(batch());
    for (int64_t size : window.output)
      loops.add(size);
    return 1;
  }
  unsigned addKernel(Loops &loops) {
    unsigned first = loops.extents.size();
    for (int64_t size : window.kernel)
      loops.add(size);
    return first;
  }
  /// (n, spatial index..., channel dims...)
  AffineMap xMap(const Loops &loops, unsigned kernelDim,
                 ArrayRef<unsigned> channels) {
    SmallVector<AffineExpr> index = {c.dim(0)};
    for (unsigned d = 0; d < window.rank(); ++d)
      index.push_back(window.index(d, c.dim(1 + d), c.dim(kernelDim + d)));
    for (unsigned channel : channels)
      index.push_back(c.dim(channel));
    return c.map(loops.extents.size(), index);
  }
  AffineMap dims(const Loops &loops, ArrayRef<unsigned> before, unsigned first,
                 ArrayRef<unsigned> after) {
    SmallVector<AffineExpr> index;
    for (unsigned d : before)
      index.push_back(c.dim(d));
    for (unsigned d = 0; d < window.rank(); ++d)
      index.push_back(c.dim(first + d));
    for (unsigned d : after)
      index.push_back(c.dim(d));
    return c.map(loops.extents.size(), index);
  }
  /// The perm that moves dim 0.. `leading` first, then the kernel dims, then
  /// the others in the given order.
  Value transposeWeight(Value weight, ArrayRef<int64_t> before,
                        int64_t firstKernel, ArrayRef<int64_t> after) {
    SmallVector<int64_t> perm(before);
    for (unsigned d = 0; d < window.rank(); ++d)
      perm.push_back(firstKernel + d);
    llvm::append_range(perm, after);
    return c.transpose(weight, perm);
  }
};
} // namespace

Value ConvEmitter::emit() {
  if (groups == 1)
    return window.isPointwise() ? pointwise() : dense();
  return channelsPerGroup() == 1 && kernels() == groups ? depthwise()
                                                        : grouped();
}

/// (n, out..., k, c): a matrix product of all pixels, whose dims stay apart so
/// that elementwise ops on the result can join its kernel.
Value ConvEmitter::pointwise() {
  Value weight =
      c.transpose(c.reshape(w, {kernels(), channelsPerGroup()}), {1, 0});
  SmallVector<int64_t> extents(shapeOf(x).drop_back());
  unsigned k = extents.size(), channel = k + 1, rank = k + 2;
  extents.append({kernels(), channelsPerGroup()});
  SmallVector<AffineExpr> read, written;
  for (unsigned d = 0; d < k; ++d)
    read.push_back(c.dim(d));
  written = read;
  read.push_back(c.dim(channel));
  written.push_back(c.dim(k));
  return c.contract(x, weight, extents, c.map(rank, read),
                    c.map(rank, {c.dim(channel), c.dim(k)}),
                    c.map(rank, written));
}

/// (n, out..., k, window..., c)
Value ConvEmitter::dense() {
  Value weight = transposeWeight(w, {}, 2, {1, 0});
  Loops loops;
  unsigned out = addOutput(loops), k = loops.add(kernels());
  unsigned kernel = addKernel(loops), channel = loops.add(channelsPerGroup());
  return c.contract(x, weight, loops.extents, xMap(loops, kernel, channel),
                    dims(loops, {}, kernel, {channel, k}),
                    dims(loops, 0, out, k));
}

/// (n, out..., c, window...): no sum over channels.
Value ConvEmitter::depthwise() {
  Value weight =
      transposeWeight(c.reshape(w,
                                [&] {
                                  SmallVector<int64_t> shape = {kernels()};
                                  llvm::append_range(shape, window.kernel);
                                  return shape;
                                }()),
                      {}, 1, {0});
  Loops loops;
  unsigned out = addOutput(loops), channel = loops.add(kernels());
  unsigned kernel = addKernel(loops);
  return c.contract(x, weight, loops.extents, xMap(loops, kernel, channel),
                    dims(loops, {}, kernel, channel),
                    dims(loops, 0, out, channel));
}

/// (n, out..., g, k, window..., c) on x as (n, spatial..., g, c).
Value ConvEmitter::grouped() {
  SmallVector<int64_t> xShape(shapeOf(x)),
      wShape = {groups, kernels() / groups};
  xShape.back() = groups;
  xShape.push_back(channelsPerGroup());
  llvm::append_range(wShape, shapeOf(w).drop_front());
  Value split = c.reshape(x, xShape);
  Value weight = transposeWeight(c.reshape(w, wShape), 0, 3, {2, 1});
  Loops loops;
  unsigned out = addOutput(loops), g = loops.add(groups),
           k = loops.add(kernels() / groups);
  unsigned kernel = addKernel(loops), channel = loops.add(channelsPerGroup());
  Value y = c.contract(
      split, weight, loops.extents, xMap(loops, kernel, {g, channel}),
      dims(loops, g, kernel, {channel, k}), dims(loops, 0, out, {g, k}));
  SmallVector<int64_t> result(shapeOf(y).drop_back(2));
  result.push_back(kernels());
  return c.reshape(y, result);
}

static LogicalResult checkShapes(NodeConversion &c, Value x, Value w,
                                 Value bias, int64_t groups) {
  ArrayRef<int64_t> xShape = shapeOf(x), wShape = shapeOf(w);
  if (xShape.size() < 3 || wShape.size() != xShape.size())
    return c.error() << "shapes " << shapeText(xShape) << " and "
                     << shapeText(wShape)
                     << " do not have equal ranks of 3 or more";
  if (groups < 1 || xShape[1] != wShape[1] * groups || wShape[0] % groups != 0)
    return c.error() << "the input has " << xShape[1]
                     << " channels and the weight " << wShape[0]
                     << " kernels of " << wShape[1] << ", which do not fit "
                     << groups << " groups";
  if (bias && shapeOf(bias) != ArrayRef<int64_t>(wShape[0]))
    return c.error() << "bias has shape " << shapeText(shapeOf(bias))
                     << ", but there are " << wShape[0] << " kernels";
  std::optional<SmallVector<int64_t>> kernel = c.intsAttr("kernel_shape");
  if (kernel && ArrayRef<int64_t>(*kernel) != wShape.drop_front(2))
    return c.error() << "kernel_shape is " << shapeText(*kernel)
                     << ", but the weight has shape " << shapeText(wShape);
  return success();
}

/// The standard wants one type. PyTorch's exporter folds batch normalizations
/// of x in bf16 into weights of f32: floats may differ, and x's type decides.
static LogicalResult checkTypes(NodeConversion &c) {
  Type x = c.inputType(0);
  for (unsigned i = 1; i < c.numInputs(); ++i) {
    Type type = c.inputType(i);
    if (!type || type == x)
      continue;
    if (!isa<FloatType>(type))
      return c.expectSameType({0, i});
    c.node.emitWarning() << "Conv: input " << i << " has element type "
                         << onnxTypeName(type) << ", but x has "
                         << onnxTypeName(x) << ", which the result gets";
  }
  return success();
}

static LogicalResult convertConv(NodeConversion &c) {
  if (failed(c.expectInputs(2, 3)) || failed(checkTypes(c)))
    return failure();
  Value x = c.input(0), w = c.input(1), bias = c.input(2);
  int64_t groups = c.intAttr("group", 1);
  if (failed(checkShapes(c, x, w, bias, groups)))
    return failure();
  FailureOr<Window> window = Window::read(c, shapeOf(x).drop_front(2),
                                          shapeOf(w).drop_front(2), false);
  if (failed(window))
    return failure();
  Value y = ConvEmitter{c, *window, toChannelsLast(c, x), w, groups}.emit();
  if (bias) {
    unsigned rank = shapeOf(y).size();
    y = c.generic(
        {y, bias},
        {c.builder.getMultiDimIdentityMap(rank), c.map(rank, c.dim(rank - 1))},
        shapeOf(y), elementOf(y), [](OpBuilder &b, Location at, ValueRange v) {
          return ScalarMath(b, at).add(v[0], v[1]);
        });
  }
  return c.push(fromChannelsLast(c, y));
}

void mkc::addConvolutions(std::vector<OpEntry> &table) {
  table.push_back({"", "Conv", OpFamily::Convolution, 1, kNewestOpset, kFloats,
                   convertConv});
}
