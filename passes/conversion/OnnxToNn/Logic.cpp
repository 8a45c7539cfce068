//===- Logic.cpp - Comparisons, booleans, conversions ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/NodeConversion.h"
#include "passes/conversion/OnnxToNn/ScalarMath.h"

using namespace mlir;
using namespace mkc;

using Method = Value (ScalarMath::*)(Value, Value) const;

/// Two operands of one type, a bool result.
template <Method method> static LogicalResult compare(NodeConversion &c) {
  FailureOr<SmallVector<Value>> operands = c.binaryOperands();
  if (failed(operands) || failed(c.expectSameType()))
    return failure();
  return c.pushElementwise(*operands, c.builder.getI1Type(),
                           [](OpBuilder &b, Location at, ValueRange v) {
                             return (ScalarMath(b, at).*method)(v[0], v[1]);
                           });
}

static LogicalResult convertNot(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  return c.pushElementwise(c.input(0), c.builder.getI1Type(),
                           [](OpBuilder &b, Location at, ValueRange v) {
                             return ScalarMath(b, at).logicalNot(v[0]);
                           });
}

static LogicalResult convertIsNaN(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  return c.pushElementwise(c.input(0), c.builder.getI1Type(),
                           [](OpBuilder &b, Location at, ValueRange v) {
                             return ScalarMath(b, at).isNaN(v[0]);
                           });
}

static LogicalResult convertIsInf(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  bool negative = c.intAttr("detect_negative", 1),
       positive = c.intAttr("detect_positive", 1);
  return c.pushElementwise(
      c.input(0), c.builder.getI1Type(),
      [&](OpBuilder &b, Location at, ValueRange v) {
        ScalarMath m(b, at);
        double inf = std::numeric_limits<double>::infinity();
        if (!negative && !positive)
          return m.integer(0, b.getI1Type());
        if (negative && positive)
          return m.eq(m.abs(v[0]), m.number(inf, v[0]));
        return m.eq(v[0], m.number(positive ? inf : -inf, v[0]));
      });
}

static LogicalResult castTo(NodeConversion &c, Type type) {
  if (elementTypeBit(type) == ElementTypes::None)
    return c.unsupported("element type " + onnxTypeName(type));
  if (type == elementOf(c.input(0)))
    return c.push(c.input(0));
  return c.pushElementwise(c.input(0), type,
                           [&](OpBuilder &b, Location at, ValueRange v) {
                             return ScalarMath(b, at).cast(v[0], type);
                           });
}

static LogicalResult convertCast(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  int64_t to = c.intAttr("to", 0);
  Type type = elementTypeOfOnnx(to, c.getContext());
  if (!type)
    return c.error() << "attribute to is " << to
                     << ", which is no element type";
  return castTo(c, type);
}

static LogicalResult convertCastLike(NodeConversion &c) {
  if (failed(c.expectInputs(2, 2)))
    return failure();
  return castTo(c, elementOf(c.input(1)));
}

static LogicalResult convertWhere(NodeConversion &c) {
  if (failed(c.expectInputs(3, 3)) || failed(c.expectSameType({1, 2})))
    return failure();
  if (!elementOf(c.input(0)).isInteger(1))
    return c.error() << "the condition has element type "
                     << onnxTypeName(elementOf(c.input(0)))
                     << ", but must be bool";
  return c.pushElementwise(c.allInputs(), elementOf(c.input(1)),
                           [](OpBuilder &b, Location at, ValueRange v) {
                             return ScalarMath(b, at).select(v[0], v[1], v[2]);
                           });
}

void mkc::addLogic(std::vector<OpEntry> &table) {
  auto add = [&](StringRef name, int64_t since, ElementTypes types,
                 LogicalResult (*convert)(NodeConversion &),
                 unsigned typedInput = 0, bool moves = false) {
    table.push_back({"", name, OpFamily::Logic, since, kNewestOpset, types,
                     convert, typedInput, 0, moves});
  };
  add("Equal", 1, kLevel2Types, compare<&ScalarMath::eq>);
  add("Greater", 1, kNumbers, compare<&ScalarMath::gt>);
  add("GreaterOrEqual", 12, kNumbers, compare<&ScalarMath::ge>);
  add("Less", 1, kNumbers, compare<&ScalarMath::lt>);
  add("LessOrEqual", 12, kNumbers, compare<&ScalarMath::le>);
  add("And", 1, ElementTypes::Bool, compare<&ScalarMath::logicalAnd>);
  add("Or", 1, ElementTypes::Bool, compare<&ScalarMath::logicalOr>);
  add("Xor", 1, ElementTypes::Bool, compare<&ScalarMath::ne>);
  add("Not", 1, ElementTypes::Bool, convertNot);
  add("IsNaN", 9, kFloats, convertIsNaN);
  add("IsInf", 10, kFloats, convertIsInf);
  add("Cast", 6, kLevel2Types, convertCast, 0, true);
  add("CastLike", 15, kLevel2Types, convertCastLike, 0, true);
  add("Where", 9, kLevel2Types, convertWhere, 1, true);
}
