//===- Pad.cpp - Pad as concatenations ------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/NodeConversion.h"

using namespace mlir;
using namespace mkc;

namespace {
/// Pads along one axis at a time: what is before x, x, what is after it.
struct PadEmitter {
  NodeConversion &c;
  std::string mode;
  Value fill; // of rank 0; constant mode

  Value slice(Value x, int64_t axis, int64_t start, int64_t size,
              int64_t step) {
    SmallVector<int64_t> offsets(shapeOf(x).size(), 0), sizes(shapeOf(x)),
        steps(shapeOf(x).size(), 1);
    offsets[axis] = start;
    sizes[axis] = size;
    steps[axis] = step;
    return c.slice(x, offsets, sizes, steps);
  }

  /// `count` elements to put before or after x, taken from x or the fill.
  Value border(Value x, int64_t axis, int64_t count, bool before) {
    SmallVector<int64_t> shape(shapeOf(x));
    int64_t size = shape[axis];
    shape[axis] = count;
    if (mode == "constant")
      return c.broadcast(fill, shape);
    if (mode == "edge") {
      Value edge = slice(x, axis, before ? 0 : size - 1, 1, 1);
      return c.broadcast(edge, shape);
    }
    return slice(x, axis, before ? count : size - 2, count, -1);
  }

  Value pad(Value x, int64_t axis, int64_t before, int64_t after) {
    if (mode == "wrap")
      return wrap(x, axis, before, after);
    // A reflection wider than x is made in passes: what one pass makes is
    // symmetric about its own ends too.
    while ((before > 0 || after > 0) && !c.getTooLarge()) {
      int64_t size = shapeOf(x)[axis];
      int64_t most = mode == "reflect" ? size - 1 : std::max(before, after);
      int64_t head = std::min(before, most), tail = std::min(after, most);
      SmallVector<Value> parts;
      if (head > 0)
        parts.push_back(border(x, axis, head, true));
      parts.push_back(x);
      if (tail > 0)
        parts.push_back(border(x, axis, tail, false));
      x = c.concat(parts, axis);
      before -= head;
      after -= tail;
    }
    return x;
  }

  /// Whole copies of x, and a part of one at each end.
  Value wrap(Value x, int64_t axis, int64_t before, int64_t after) {
    if (before == 0 && after == 0) // also of a dim that is cropped to nothing
      return x;
    int64_t size = shapeOf(x)[axis], copies = before / size + 1 + after / size;
    SmallVector<int64_t> split(shapeOf(x)), repeated, result(shapeOf(x));
    split.insert(split.begin() + axis, 1);
    repeated = split;
    repeated[axis] = copies;
    result[axis] = copies * size;
    Value tiled = c.reshape(c.broadcast(c.reshape(x, split), repeated), result);
    return c.concat({slice(x, axis, size - before % size, before % size, 1),
                     tiled, slice(x, axis, 0, after % size, 1)},
                    axis);
  }
};
} // namespace

/// Pads for all dims: begins, then ends.
static FailureOr<SmallVector<int64_t>> readPads(NodeConversion &c) {
  int64_t rank = shapeOf(c.input(0)).size();
  auto given = c.intsFromAttrOrInput("pads", 1);
  if (failed(given))
    return failure();
  if (!*given)
    return c.error() << "pads are missing";
  for (int64_t pad : **given)
    if (std::abs(pad) > kMostElements ||
        pad == std::numeric_limits<int64_t>::min())
      return c.error() << "pads hold " << pad << ", but must be at most "
                       << kMostElements;
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (c.input(3)) {
    FailureOr<SmallVector<int64_t>> list = c.constantInts(3, "axes");
    if (failed(list))
      return failure();
    axes = *list;
  }
  if ((*given)->size() != 2 * axes.size())
    return c.error() << "has " << (*given)->size() << " pads for "
                     << axes.size() << " axes";
  if (failed(c.normalizeAxes(axes, rank))) // names one that is given twice
    return failure();
  SmallVector<int64_t> pads(2 * rank, 0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    FailureOr<int64_t> normalized = c.normalizeAxis(axis, rank);
    if (failed(normalized))
      return failure();
    pads[*normalized] = (**given)[i];
    pads[rank + *normalized] = (**given)[axes.size() + i];
  }
  return pads;
}

static FailureOr<Value> fillValue(NodeConversion &c) {
  Value x = c.input(0);
  if (Value value = c.input(2)) {
    if (failed(c.expectSameType({0, 2})))
      return failure();
    if (tensorTypeOf(value).getNumElements() != 1)
      return c.error() << "the fill value has shape "
                       << shapeText(shapeOf(value)) << ", but must be a scalar";
    return c.reshape(value, {});
  }
  if (isFloat(x))
    return c.splat(
        {}, c.builder.getFloatAttr(elementOf(x), c.floatAttr("value", 0)));
  return c.splat({}, c.builder.getIntegerAttr(elementOf(x), 0));
}

static LogicalResult convertPad(NodeConversion &c) {
  if (failed(c.expectInputs(1, 4)))
    return failure();
  Value x = c.input(0);
  FailureOr<SmallVector<int64_t>> pads = readPads(c);
  FailureOr<Value> fill = fillValue(c);
  if (failed(pads) || failed(fill))
    return failure();
  std::string mode = c.stringAttr("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" &&
      mode != "wrap")
    return c.error() << "attribute mode is '" << mode << "'";
  int64_t rank = shapeOf(x).size();
  // Negative pads crop, before the positive ones are added.
  SmallVector<int64_t> offsets(rank, 0), sizes(shapeOf(x)), steps(rank, 1);
  for (int64_t d = 0; d < rank; ++d) {
    offsets[d] = std::max<int64_t>(-(*pads)[d], 0);
    sizes[d] -= offsets[d] + std::max<int64_t>(-(*pads)[rank + d], 0);
    if (sizes[d] < 0)
      return c.error() << "pads " << (*pads)[d] << " and " << (*pads)[rank + d]
                       << " crop dim " << d << " of size " << shapeOf(x)[d];
    bool isPadded = (*pads)[d] > 0 || (*pads)[rank + d] > 0;
    if (isPadded && mode != "constant" &&
        sizes[d] < (mode == "reflect" ? 2 : 1))
      return c.error() << "mode " << mode << " has nothing to copy from dim "
                       << d << " of size " << sizes[d];
  }
  PadEmitter emitter{c, mode, *fill};
  Value y = c.slice(x, offsets, sizes, steps);
  for (int64_t d = 0; d < rank; ++d)
    y = emitter.pad(y, d, std::max<int64_t>((*pads)[d], 0),
                    std::max<int64_t>((*pads)[rank + d], 0));
  return c.push(y);
}

void mkc::addPad(std::vector<OpEntry> &table) {
  table.push_back({"", "Pad", OpFamily::Data, 2, kNewestOpset, kLevel2Types,
                   convertPad, 0, 0b1010, true});
}
