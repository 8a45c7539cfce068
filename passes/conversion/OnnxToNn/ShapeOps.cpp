//===- ShapeOps.cpp - Reshapes, broadcasts, transposes --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/NodeConversion.h"
#include "passes/graph/Interpreter/TensorValue.h"

using namespace mlir;
using namespace mkc;

/// Resolves 0 (the input's dim, unless `allowzero`) and -1 (what is left).
static FailureOr<SmallVector<int64_t>>
reshapeTarget(NodeConversion &c, ArrayRef<int64_t> from,
              ArrayRef<int64_t> requested) {
  bool allowZero = c.intAttr("allowzero", 0) != 0;
  SmallVector<int64_t> shape(requested);
  std::optional<size_t> inferred;
  SmallVector<int64_t> knownSizes;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size == 0 && !allowZero) {
      if (i >= from.size())
        return c.error() << "shape " << shapeText(requested) << " copies dim "
                         << i << " of an input of shape " << shapeText(from);
      size = from[i];
    }
    if (size == -1) {
      if (inferred)
        return c.error() << "shape " << shapeText(requested)
                         << " has more than one -1";
      inferred = i;
    } else if (size < 0) {
      return c.error() << "shape " << shapeText(requested)
                       << " has the negative size " << size;
    } else {
      knownSizes.push_back(size);
    }
  }
  int64_t known = countElements(knownSizes), total = countElements(from);
  if (inferred && (known == 0 || total % known != 0))
    return c.error() << "shape " << shapeText(requested)
                     << " does not divide the " << total
                     << " elements of shape " << shapeText(from);
  if (inferred)
    shape[*inferred] = total / known;
  else if (known != total)
    return c.error() << "shape " << shapeText(shape) << " has " << known
                     << " elements, but shape " << shapeText(from) << " has "
                     << total;
  return shape;
}

static LogicalResult convertReshape(NodeConversion &c) {
  if (failed(c.expectInputs(2, 2)))
    return failure();
  FailureOr<SmallVector<int64_t>> requested = c.constantInts(1, "shape");
  if (failed(requested))
    return failure();
  FailureOr<SmallVector<int64_t>> shape =
      reshapeTarget(c, shapeOf(c.input(0)), *requested);
  if (failed(shape))
    return failure();
  return c.push(c.reshape(c.input(0), *shape));
}

static LogicalResult convertFlatten(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(c.input(0));
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.intAttr("axis", 1), shape.size(), /*inclusive=*/true);
  if (failed(axis))
    return failure();
  return c.push(
      c.reshape(c.input(0), {countElements(shape.take_front(*axis)),
                             countElements(shape.drop_front(*axis))}));
}

static LogicalResult convertSqueeze(NodeConversion &c) {
  if (failed(c.expectInputs(1, 2)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(c.input(0));
  auto given = c.intsFromAttrOrInput("axes", 1);
  if (failed(given))
    return failure();
  SmallVector<int64_t> all;
  for (auto [d, size] : llvm::enumerate(shape))
    if (size == 1)
      all.push_back(d);
  FailureOr<SmallVector<int64_t>> axes =
      c.normalizeAxes(*given ? **given : all, shape.size());
  if (failed(axes))
    return failure();
  SmallVector<int64_t> result;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(*axes, int64_t(d)))
      result.push_back(size);
    else if (size != 1)
      return c.error() << "dim " << d << " of shape " << shapeText(shape)
                       << " is " << size << ", not 1";
  }
  return c.push(c.reshape(c.input(0), result));
}

static LogicalResult convertUnsqueeze(NodeConversion &c) {
  if (failed(c.expectInputs(1, 2)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(c.input(0));
  auto given = c.intsFromAttrOrInput("axes", 1);
  if (failed(given))
    return failure();
  if (!*given)
    return c.error() << "axes are missing";
  FailureOr<SmallVector<int64_t>> axes =
      c.normalizeAxes(**given, shape.size() + (*given)->size());
  if (failed(axes))
    return failure();
  SmallVector<int64_t> result(shape);
  for (int64_t axis : *axes)
    result.insert(result.begin() + axis, 1);
  return c.push(c.reshape(c.input(0), result));
}

static LogicalResult convertExpand(NodeConversion &c) {
  if (failed(c.expectInputs(2, 2)))
    return failure();
  FailureOr<SmallVector<int64_t>> target = c.constantInts(1, "shape");
  if (failed(target))
    return failure();
  for (int64_t size : *target)
    if (size < 0)
      return c.error() << "shape " << shapeText(*target)
                       << " has the negative size " << size;
  auto shape = broadcastShapes(shapeOf(c.input(0)), *target);
  if (!shape)
    return c.error() << "shapes " << shapeText(shapeOf(c.input(0))) << " and "
                     << shapeText(*target) << " do not broadcast";
  return c.push(c.broadcast(c.input(0), *shape));
}

/// Each repeated dim gets a dim before it, along which x broadcasts; the two
/// are then one.
static LogicalResult convertTile(NodeConversion &c) {
  if (failed(c.expectInputs(2, 2)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(c.input(0));
  FailureOr<SmallVector<int64_t>> repeats = c.constantInts(1, "repeats");
  if (failed(repeats))
    return failure();
  if (repeats->size() != shape.size())
    return c.error() << "has " << repeats->size()
                     << " repeats for an input of rank " << shape.size();
  SmallVector<int64_t> split, repeated, result;
  for (auto [size, count] : llvm::zip_equal(shape, *repeats)) {
    if (count < 0 || count > kMostElements)
      return c.error() << "repeats " << shapeText(*repeats) << " has the count "
                       << count;
    if (count != 1) {
      split.push_back(1);
      repeated.push_back(count);
    }
    split.push_back(size);
    repeated.push_back(size);
    result.push_back(size * count);
  }
  return c.push(
      c.reshape(c.broadcast(c.reshape(c.input(0), split), repeated), result));
}

static LogicalResult convertTranspose(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  int64_t rank = shapeOf(c.input(0)).size();
  auto perm = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  if (std::optional<SmallVector<int64_t>> given = c.intsAttr("perm"))
    perm = *given;
  SmallVector<int64_t> sorted(perm);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, rank)))
    return c.error() << "perm " << shapeText(perm)
                     << " is no permutation of the " << rank << " dims";
  return c.push(c.transpose(c.input(0), perm));
}

static LogicalResult convertIdentity(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  return c.push(c.input(0));
}

/// Inference: the identity, and a mask of true.
static LogicalResult convertDropout(NodeConversion &c) {
  if (failed(c.expectInputs(1, 3)))
    return failure();
  if (Value ratio = c.input(1); ratio && !isFloat(ratio))
    return c.error() << "the ratio has element type "
                     << onnxTypeName(elementOf(ratio))
                     << ", but must be a float";
  if (Value training = c.input(2)) {
    if (!elementOf(training).isInteger(1))
      return c.error() << "training_mode has element type "
                       << onnxTypeName(elementOf(training))
                       << ", but must be bool";
    TypedAttr mode = splatOf(training);
    if (!mode || cast<IntegerAttr>(mode).getValue().isOne()) {
      TypedAttr ratio = c.input(1) ? splatOf(c.input(1)) : TypedAttr();
      auto value = dyn_cast_or_null<FloatAttr>(ratio);
      if (!value || value.getValueAsDouble() != 0)
        return c.unsupported("training mode");
    }
  }
  c.results.push_back(c.input(0));
  Type mask = c.opset() >= 10 ? c.builder.getI1Type() : elementOf(c.input(0));
  TypedAttr one = c.builder.getIntegerAttr(c.builder.getI1Type(), 1);
  if (isa<FloatType>(mask))
    one = c.builder.getFloatAttr(mask, 1);
  return c.push(c.splat(shapeOf(c.input(0)), one));
}

void mkc::addShapeOps(std::vector<OpEntry> &table) {
  auto add = [&](StringRef name, int64_t since,
                 LogicalResult (*convert)(NodeConversion &),
                 uint32_t knownInputs = 0, ElementTypes types = kLevel2Types) {
    table.push_back({"", name, OpFamily::Shape, since, kNewestOpset, types,
                     convert, 0, knownInputs, true});
  };
  add("Reshape", 5, convertReshape, 0b10);
  add("Flatten", 1, convertFlatten);
  add("Squeeze", 1, convertSqueeze, 0b10);
  add("Unsqueeze", 1, convertUnsqueeze, 0b10);
  add("Expand", 8, convertExpand, 0b10);
  add("Tile", 6, convertTile, 0b10);
  add("Transpose", 1, convertTranspose);
  add("Identity", 1, convertIdentity);
  add("Dropout", 7, convertDropout, 0b110, kFloats);
}
