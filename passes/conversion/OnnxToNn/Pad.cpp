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
    if (mode == "reflect")
      return slice(x, axis, before ? count : size - 2, count, -1);
    return slice(x, axis, before ? size - count : 0, count, 1);
  }

  /// How many elements of a border one pass can take from an x of `size`.
  int64_t largestBorder(int64_t size, int64_t count) const {
    if (mode == "reflect")
      return std::min(count, size - 1);
    return mode == "wrap" ? std::min(count, size) : count;
  }

  Value pad(Value x, int64_t axis, int64_t before, int64_t after) {
    // A border wider than x is made in passes: each sees what the one before it
    // made, on a period that stays that of x.
    while (before > 0 || after > 0) {
      int64_t size = shapeOf(x)[axis];
      int64_t head = largestBorder(size, before),
              tail = largestBorder(size, after);
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
    if (failed(c.expectSameType({x, value})))
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
                   convertPad, 0, 0b1010});
}
