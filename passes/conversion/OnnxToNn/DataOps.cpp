//===- DataOps.cpp - Concat, Split, Slice, Gather -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/NodeConversion.h"

using namespace mlir;
using namespace mkc;

static LogicalResult convertConcat(NodeConversion &c) {
  unsigned count = std::max(c.numInputs(), 1u);
  if (failed(c.expectInputs(count)) || failed(c.expectSameType()))
    return failure();
  ArrayRef<int64_t> first = shapeOf(c.input(0));
  if (!c.hasAttr("axis"))
    return c.error() << "attribute axis is missing";
  FailureOr<int64_t> axis = c.normalizeAxis(c.intAttr("axis", 0), first.size());
  if (failed(axis))
    return failure();
  for (Value part : c.allInputs()) {
    SmallVector<int64_t> shape(shapeOf(part));
    if (shape.size() == first.size())
      shape[*axis] = first[*axis];
    if (ArrayRef<int64_t>(shape) != first)
      return c.error() << "shapes " << shapeText(first) << " and "
                       << shapeText(shapeOf(part)) << " differ beside axis "
                       << *axis;
  }
  return c.push(c.concat(c.allInputs(), *axis));
}

//===----------------------------------------------------------------------===//
// Split and Slice
//===----------------------------------------------------------------------===//

/// Equal parts for each output; from opset 18 on the last may be smaller.
static FailureOr<SmallVector<int64_t>> equalParts(NodeConversion &c,
                                                  int64_t size) {
  int64_t count = c.numOutputs();
  if (c.opset() >= 18 && c.hasAttr("num_outputs") &&
      c.intAttr("num_outputs", count) != count)
    return c.error() << "num_outputs is " << c.intAttr("num_outputs", count)
                     << ", but there are " << count << " outputs";
  if (count == 0 || (c.opset() < 18 && size % count != 0))
    return c.error() << "cannot split " << size << " into " << count
                     << " equal parts";
  int64_t part = llvm::divideCeil(size, count);
  SmallVector<int64_t> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(std::clamp<int64_t>(size - i * part, 0, part));
  return parts;
}

static LogicalResult convertSplit(NodeConversion &c) {
  if (failed(c.expectInputs(1, 2)))
    return failure();
  Value x = c.input(0);
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.intAttr("axis", 0), shapeOf(x).size());
  if (failed(axis))
    return failure();
  int64_t size = shapeOf(x)[*axis];
  auto given = c.intsFromAttrOrInput("split", 1);
  if (failed(given))
    return failure();
  FailureOr<SmallVector<int64_t>> parts =
      *given ? **given : equalParts(c, size);
  if (failed(parts))
    return failure();
  if (parts->size() != c.numOutputs())
    return c.error() << "split " << shapeText(*parts) << " has "
                     << parts->size() << " parts for " << c.numOutputs()
                     << " outputs";
  int64_t total = 0;
  for (int64_t part : *parts) {
    if (part < 0 || part > size)
      return c.error() << "split " << shapeText(*parts) << " does not fit dim "
                       << *axis << " of size " << size;
    total += part;
  }
  if (total != size)
    return c.error() << "split " << shapeText(*parts) << " adds up to " << total
                     << ", but dim " << *axis << " is " << size;
  SmallVector<int64_t> offsets(shapeOf(x).size(), 0), sizes(shapeOf(x)),
      steps(shapeOf(x).size(), 1);
  for (int64_t part : *parts) {
    sizes[*axis] = part;
    c.results.push_back(c.slice(x, offsets, sizes, steps));
    offsets[*axis] += part;
  }
  return success();
}

namespace {
struct SliceSpec {
  SmallVector<int64_t> starts, ends, axes, steps;
};
} // namespace

/// Attributes up to opset 9, inputs after that.
static FailureOr<SliceSpec> readSlice(NodeConversion &c) {
  SliceSpec spec;
  if (c.opset() < 10) {
    auto starts = c.intsAttr("starts"), ends = c.intsAttr("ends"),
         axes = c.intsAttr("axes");
    if (!starts || !ends)
      return c.error() << "attributes starts and ends are missing";
    spec.starts = *starts;
    spec.ends = *ends;
    if (axes)
      spec.axes = *axes;
  } else {
    StringRef names[] = {"starts", "ends", "axes", "steps"};
    SmallVector<int64_t> *lists[] = {&spec.starts, &spec.ends, &spec.axes,
                                     &spec.steps};
    for (unsigned i = 0; i < 4; ++i) {
      if (i >= 2 && !c.input(i + 1))
        continue;
      FailureOr<SmallVector<int64_t>> values = c.constantInts(i + 1, names[i]);
      if (failed(values))
        return failure();
      *lists[i] = *values;
    }
  }
  size_t count = spec.starts.size();
  if (spec.axes.empty())
    spec.axes = llvm::to_vector(llvm::seq<int64_t>(0, count));
  if (spec.steps.empty())
    spec.steps.assign(count, 1);
  if (spec.ends.size() != count || spec.axes.size() != count ||
      spec.steps.size() != count)
    return c.error() << "has " << count << " starts, " << spec.ends.size()
                     << " ends, " << spec.axes.size() << " axes and "
                     << spec.steps.size() << " steps";
  return spec;
}

/// Negative positions count from the end; what lies outside is clamped to the
/// dim.
static void clampRange(int64_t size, int64_t step, int64_t &start,
                       int64_t &end) {
  auto fromEnd = [&](int64_t at) { return at < 0 ? at + size : at; };
  if (step > 0) {
    start = std::clamp<int64_t>(fromEnd(start), 0, size);
    end = std::clamp<int64_t>(fromEnd(end), 0, size);
  } else {
    start =
        std::clamp<int64_t>(fromEnd(start), 0, std::max<int64_t>(size - 1, 0));
    end = std::clamp<int64_t>(fromEnd(end), -1, size - 1);
  }
}

static LogicalResult convertSlice(NodeConversion &c) {
  if (failed(c.expectInputs(1, 5)))
    return failure();
  Value x = c.input(0);
  FailureOr<SliceSpec> spec = readSlice(c);
  if (failed(spec))
    return failure();
  int64_t rank = shapeOf(x).size();
  if (failed(
          c.normalizeAxes(spec->axes, rank))) // names one that is given twice
    return failure();
  SmallVector<int64_t> offsets(rank, 0), sizes(shapeOf(x)), steps(rank, 1);
  for (size_t i = 0; i < spec->axes.size(); ++i) {
    FailureOr<int64_t> axis = c.normalizeAxis(spec->axes[i], rank);
    if (failed(axis))
      return failure();
    int64_t start = spec->starts[i], end = spec->ends[i], step = spec->steps[i];
    if (step == 0)
      return c.error() << "the step of axis " << *axis << " is 0";
    // A step beyond the dim takes one element, like the dim's size.
    int64_t size = shapeOf(x)[*axis];
    step = std::clamp<int64_t>(step, -size - 1, size + 1);
    clampRange(size, step, start, end);
    int64_t span = step > 0 ? end - start : start - end;
    offsets[*axis] = start;
    steps[*axis] = step;
    sizes[*axis] = span <= 0 || size == 0
                       ? 0
                       : int64_t(llvm::divideCeil(span, std::abs(step)));
  }
  return c.push(c.slice(x, offsets, sizes, steps));
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// The step of indices that are a constant, ascending and evenly spaced.
static std::optional<int64_t> evenStep(ArrayRef<int64_t> indices) {
  if (indices.size() == 1)
    return 1;
  int64_t step = indices[1] - indices[0];
  if (step <= 0)
    return std::nullopt;
  for (size_t i = 1; i < indices.size(); ++i)
    if (indices[i] - indices[i - 1] != step)
      return std::nullopt;
  return step;
}

static LogicalResult convertGather(NodeConversion &c) {
  if (failed(c.expectInputs(2, 2)))
    return failure();
  Value data = c.input(0), indices = c.input(1);
  Type indexType = elementOf(indices);
  if (!indexType.isInteger(32) && !indexType.isInteger(64))
    return c.error() << "indices have element type " << onnxTypeName(indexType)
                     << ", but must be int32 or int64";
  ArrayRef<int64_t> shape = shapeOf(data);
  FailureOr<int64_t> axis = c.normalizeAxis(c.intAttr("axis", 0), shape.size());
  if (failed(axis))
    return failure();
  int64_t size = shape[*axis];
  int64_t count = tensorTypeOf(indices).getNumElements();
  bool isKnown =
      constantOf(indices) && count > 0 && count * 8 <= kInlineConstantBytes;
  if (!isKnown)
    return c.push(c.gather(data, indices, *axis));
  SmallVector<int64_t> known = *c.constantInts(1, "indices");
  for (int64_t &index : known) {
    if (index < -size || index >= size)
      return c.error() << "index " << index << " is outside [" << -size << ", "
                       << size - 1 << "] of dim " << *axis << " of shape "
                       << shapeText(shape);
    index += index < 0 ? size : 0;
  }
  // Evenly spaced constant indices are a slice.
  std::optional<int64_t> step = evenStep(known);
  if (!step)
    return c.push(c.gather(data, indices, *axis));
  SmallVector<int64_t> offsets(shape.size(), 0), sizes(shape),
      steps(shape.size(), 1);
  offsets[*axis] = known[0];
  sizes[*axis] = known.size();
  steps[*axis] = *step;
  SmallVector<int64_t> result(shape.take_front(*axis));
  llvm::append_range(result, shapeOf(indices));
  llvm::append_range(result, shape.drop_front(*axis + 1));
  return c.push(c.reshape(c.slice(data, offsets, sizes, steps), result));
}

void mkc::addDataOps(std::vector<OpEntry> &table) {
  auto add = [&](StringRef name, int64_t since,
                 LogicalResult (*convert)(NodeConversion &),
                 uint32_t knownInputs = 0) {
    table.push_back({"", name, OpFamily::Data, since, kNewestOpset,
                     kLevel2Types, convert, 0, knownInputs, true});
  };
  add("Concat", 4, convertConcat);
  add("Split", 2, convertSplit, 0b10);
  add("Slice", 1, convertSlice, 0b11110);
  add("Gather", 1, convertGather);
}
