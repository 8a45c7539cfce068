//===- Constants.cpp - Constants and shapes as data -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mk/Mk.h"
#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/NodeConversion.h"
#include "passes/conversion/OnnxToNn/OpTable.h"
#include "passes/conversion/OnnxToNn/ScalarMath.h"
#include "passes/conversion/OnnxToNn/WeightValue.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cmath>

using namespace mlir;
using namespace mkc;

static LogicalResult convertConstant(NodeConversion &c) {
  Builder &b = c.builder;
  for (StringRef name : {"value", "sparse_value"})
    if (Attribute value = c.attr(name)) {
      FailureOr<Value> constant = emitTensor(c, value);
      return failed(constant) ? failure() : c.push(*constant);
    }
  if (c.hasAttr("value_int"))
    return c.push(c.splat({}, b.getI64IntegerAttr(c.intAttr("value_int", 0))));
  if (c.hasAttr("value_float"))
    return c.push(
        c.splat({}, b.getF32FloatAttr(c.floatAttr("value_float", 0))));
  if (std::optional<SmallVector<int64_t>> values = c.intsAttr("value_ints"))
    return c.push(c.vectorOf(*values));
  if (auto values = dyn_cast_or_null<DenseF32ArrayAttr>(c.attr("value_floats")))
    return c.push(c.constant(DenseElementsAttr::get(
        RankedTensorType::get(int64_t(values.size()), b.getF32Type()),
        values.asArrayRef())));
  for (StringRef name : {"value_string", "value_strings"})
    if (c.hasAttr(name))
      return c.unsupported("attribute " + name);
  return c.error() << "has no value";
}

static LogicalResult convertConstantOfShape(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  FailureOr<SmallVector<int64_t>> shape = c.constantInts(0, "shape");
  if (failed(shape))
    return failure();
  for (int64_t size : *shape)
    if (size < 0)
      return c.error() << "shape " << shapeText(*shape)
                       << " has the negative size " << size;
  TypedAttr element = c.builder.getF32FloatAttr(0);
  if (Attribute value = c.attr("value")) {
    FailureOr<Value> constant = emitTensor(c, value);
    if (failed(constant))
      return failure();
    element = splatOf(*constant);
    if (!element || tensorTypeOf(*constant).getNumElements() != 1)
      return c.error() << "attribute value has shape "
                       << shapeText(shapeOf(*constant))
                       << ", but must have one element";
  }
  return c.push(c.splat(*shape, element));
}

static LogicalResult convertShape(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(c.input(0));
  int64_t rank = shape.size();
  auto bound = [&](StringRef name, int64_t orElse) {
    int64_t at = c.intAttr(name, orElse);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = bound("start", 0), end = bound("end", rank);
  return c.push(
      c.vectorOf(shape.slice(start, std::max<int64_t>(end - start, 0))));
}

static LogicalResult convertSize(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  return c.push(c.splat({}, c.builder.getI64IntegerAttr(
                                tensorTypeOf(c.input(0)).getNumElements())));
}

/// max(ceil((limit - start) / delta), 0), or nothing if delta is 0 or the count
/// is no number.
static std::optional<int64_t> countSteps(TypedAttr start, TypedAttr limit,
                                         TypedAttr delta) {
  if (auto first = dyn_cast<FloatAttr>(start)) {
    double from = first.getValueAsDouble(),
           to = cast<FloatAttr>(limit).getValueAsDouble();
    double count =
        std::ceil((to - from) / cast<FloatAttr>(delta).getValueAsDouble());
    if (!(std::abs(count) < 1e15))
      return std::nullopt;
    return std::max<int64_t>(int64_t(count), 0);
  }
  APInt from = cast<IntegerAttr>(start).getValue().sext(128),
        to = cast<IntegerAttr>(limit).getValue().sext(128);
  APInt step = cast<IntegerAttr>(delta).getValue().sext(128), span = to - from;
  if (step.isZero())
    return std::nullopt;
  if (span.isZero() || span.isNegative() != step.isNegative())
    return 0;
  APInt count = (span.abs() + step.abs() - 1).udiv(step.abs());
  return count.getActiveBits() > 50
             ? std::nullopt
             : std::optional<int64_t>(count.getSExtValue());
}

/// start + i * delta
static LogicalResult convertRange(NodeConversion &c) {
  if (failed(c.expectInputs(3, 3)) || failed(c.expectSameType()))
    return failure();
  if (int64_t stash = c.intAttr("stash_type", kOnnxFloat); stash != kOnnxFloat)
    return c.unsupported("stash_type " + Twine(stash));
  TypedAttr values[3];
  for (unsigned i = 0; i < 3; ++i) {
    if (tensorTypeOf(c.input(i)).getNumElements() != 1)
      return c.error() << "input " << i << " has shape "
                       << shapeText(shapeOf(c.input(i)))
                       << ", but must be a scalar";
    values[i] = splatOf(c.input(i));
    if (!values[i])
      return c.unsupported(
          "a range whose bounds are computed from the model's inputs' values");
  }
  std::optional<int64_t> count = countSteps(values[0], values[1], values[2]);
  if (!count)
    return c.error()
           << "cannot count the steps: delta is 0, or a bound is not finite";
  return c.push(c.generic(
      {}, {}, *count, values[0].getType(),
      [&](OpBuilder &b, Location at, ValueRange) {
        ScalarMath m(b, at);
        Type type = values[0].getType();
        Value index = linalg::IndexOp::create(b, at, 0);
        Value i = arith::IndexCastOp::create(
            b, at, type.isInteger(32) ? b.getI32Type() : b.getI64Type(), index);
        Value start = arith::ConstantOp::create(b, at, values[0]),
              delta = arith::ConstantOp::create(b, at, values[2]);
        return m.add(start, m.mul(m.cast(i, type), delta));
      }));
}

void mkc::addConstants(std::vector<OpEntry> &table) {
  auto add = [&](StringRef name, int64_t since, ElementTypes types,
                 LogicalResult (*convert)(NodeConversion &),
                 uint32_t knownInputs = 0, bool moves = true) {
    table.push_back({"", name, OpFamily::Constant, since, kNewestOpset, types,
                     convert, 0, knownInputs, moves});
  };
  constexpr auto Integers = ElementTypes::I32 | ElementTypes::I64;
  add("Constant", 1, kLevel2Types, convertConstant);
  add("ConstantOfShape", 9, ElementTypes::I64, convertConstantOfShape, 0b1);
  add("Shape", 1, kLevel2Types, convertShape);
  add("Size", 1, kLevel2Types, convertSize);
  add("Range", 11, kFloats | Integers, convertRange, 0b111, false);
}
