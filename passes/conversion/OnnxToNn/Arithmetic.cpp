//===- Arithmetic.cpp - Arithmetic on several operands --------------------===//
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

/// Two operands of one type, which is the result's too.
template <Method method> static LogicalResult binary(NodeConversion &c) {
  FailureOr<SmallVector<Value>> operands = c.binaryOperands();
  if (failed(operands) || failed(c.expectSameType()))
    return failure();
  return c.pushElementwise(*operands, elementOf(c.input(0)),
                           [](OpBuilder &b, Location at, ValueRange v) {
                             return (ScalarMath(b, at).*method)(v[0], v[1]);
                           });
}

/// Operands of one generic. A kernel has all operands of its ops, and its code
/// an address for each of them.
static constexpr size_t kMaxGroup = 12;

/// One or more operands, folded from the left; the mean divides by their
/// number. Many operands become a chain of generics, in the same order: what
/// the one before gives is the first operand of the next.
template <Method method, bool isMean = false>
static LogicalResult variadic(NodeConversion &c) {
  unsigned count = c.numInputs();
  if (failed(c.expectInputs(std::max(count, 1u))) || failed(c.expectSameType()))
    return failure();
  FailureOr<SmallVector<int64_t>> shape = c.broadcastShape(c.allInputs());
  if (failed(shape))
    return failure();
  ArrayRef<Value> rest = c.allInputs();
  SmallVector<Value> group;
  while (true) {
    size_t taken = std::min(rest.size(), kMaxGroup - group.size());
    group.append(rest.begin(), rest.begin() + taken);
    rest = rest.drop_front(taken);
    bool isLast = rest.empty();
    FailureOr<SmallVector<int64_t>> partial =
        isLast ? shape : c.broadcastShape(group);
    if (failed(partial))
      return failure();
    Value folded =
        c.elementwise(group, *partial, elementOf(c.input(0)),
                      [&](OpBuilder &b, Location at, ValueRange v) {
                        ScalarMath m(b, at);
                        Value result = v[0];
                        for (Value operand : v.drop_front())
                          result = (m.*method)(result, operand);
                        return isMean && isLast && count > 1
                                   ? m.div(result, m.number(count, result))
                                   : result;
                      });
    if (isLast)
      return c.push(folded);
    group = {folded};
  }
}

/// `fmod` 1 is C's remainder, 0 Python's modulus, which is for integers only
/// before opset 28.
static LogicalResult convertMod(NodeConversion &c) {
  if (failed(c.expectInputs(2, 2)) || failed(c.expectSameType()))
    return failure();
  bool isC = c.intAttr("fmod", 0) != 0;
  if (!isC && isFloat(c.input(0)) && c.opset() < 28)
    return c.error()
           << "attribute fmod must be 1 for element type float at opset "
           << c.opset();
  return c.pushElementwise(c.allInputs(), elementOf(c.input(0)),
                           [&](OpBuilder &b, Location at, ValueRange v) {
                             ScalarMath m(b, at);
                             return isC ? m.rem(v[0], v[1])
                                        : m.floorMod(v[0], v[1]);
                           });
}

/// The exponent may be of another type; the result is of the base's.
static LogicalResult convertPow(NodeConversion &c) {
  FailureOr<SmallVector<Value>> operands = c.binaryOperands();
  if (failed(operands))
    return failure();
  return c.pushElementwise(*operands, elementOf(c.input(0)),
                           [](OpBuilder &b, Location at, ValueRange v) {
                             return ScalarMath(b, at).pow(v[0], v[1]);
                           });
}

void mkc::addArithmetic(std::vector<OpEntry> &table) {
  auto add = [&](StringRef name, int64_t since, ElementTypes types,
                 LogicalResult (*convert)(NodeConversion &)) {
    table.push_back(
        {"", name, OpFamily::Elementwise, since, kNewestOpset, types, convert});
  };
  add("Add", 6, kNumbers, binary<&ScalarMath::add>);
  add("Sub", 6, kNumbers, binary<&ScalarMath::sub>);
  add("Mul", 6, kNumbers, binary<&ScalarMath::mul>);
  add("Div", 6, kNumbers, binary<&ScalarMath::div>);
  add("Mod", 10, kNumbers, convertMod);
  add("Pow", 1, kNumbers, convertPow);
  add("Max", 6, kNumbers, variadic<&ScalarMath::max>);
  add("Min", 6, kNumbers, variadic<&ScalarMath::min>);
  add("Sum", 6, kFloats, variadic<&ScalarMath::add>);
  add("Mean", 6, kFloats, variadic<&ScalarMath::add, true>);
}
