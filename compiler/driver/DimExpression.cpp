//===- DimExpression.cpp - Expressions as names of dims -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/DimExpression.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;
using namespace mkc::driver;

namespace mkc::driver {

/// Recursive descent:
///   sum     = product (('+' | '-') product)*
///   product = atom (('*' | '//' | '/') atom)*
///   atom    = number | name | '(' sum ')'
class DimExpressionParser {
public:
  explicit DimExpressionParser(StringRef text) : rest(text) {}

  bool parse(DimExpression &out) {
    if (!sum(0) || !skipSpace().empty())
      return false;
    out.steps = std::move(steps);
    return true;
  }

private:
  using Kind = DimExpression::Kind;
  static constexpr unsigned maxDepth = 32;

  StringRef skipSpace() { return rest = rest.ltrim(); }

  bool sum(unsigned depth) {
    if (!product(depth))
      return false;
    while (!skipSpace().empty()) {
      Kind kind = rest.front() == '+' ? Kind::Add : Kind::Subtract;
      if (!rest.consume_front("+") && !rest.consume_front("-"))
        return true;
      if (!product(depth))
        return false;
      steps.push_back({kind});
    }
    return true;
  }

  bool product(unsigned depth) {
    if (!atom(depth))
      return false;
    while (!skipSpace().empty()) {
      Kind kind = rest.front() == '*' ? Kind::Multiply : Kind::Divide;
      if (!rest.consume_front("*") && !rest.consume_front("//") &&
          !rest.consume_front("/"))
        return true;
      if (!atom(depth))
        return false;
      steps.push_back({kind});
    }
    return true;
  }

  bool atom(unsigned depth) {
    skipSpace();
    if (rest.consume_front("(")) {
      if (depth == maxDepth || !sum(depth + 1))
        return false;
      skipSpace();
      return rest.consume_front(")");
    }
    StringRef word = rest.take_while(
        [](char c) { return isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(word.size());
    if (word.empty())
      return false;
    int64_t number;
    if (!word.getAsInteger(10, number))
      steps.push_back({Kind::Number, number});
    else if (isDigit(word.front()))
      return false;
    else
      steps.push_back({Kind::Name, 0, word.str()});
    return true;
  }

  StringRef rest;
  std::vector<DimExpression::Step> steps;
};

} // namespace mkc::driver

std::optional<DimExpression> DimExpression::parse(StringRef text) {
  DimExpression expression;
  if (!DimExpressionParser(text).parse(expression) ||
      expression.steps.size() == 1)
    return std::nullopt;
  return expression;
}

std::vector<std::string> DimExpression::names() const {
  std::vector<std::string> names;
  for (const Step &step : steps)
    if (step.kind == Kind::Name && !is_contained(names, step.name))
      names.push_back(step.name);
  return names;
}

/// The range of the four values of `operation` at the ends of `a` and `b`,
/// between which the operations are monotonic.
template <typename Operation>
static std::optional<DimRange> combine(DimRange a, DimRange b,
                                       Operation operation) {
  SmallVector<int64_t, 4> ends;
  for (int64_t x : {a.low, a.high})
    for (int64_t y : {b.low, b.high}) {
      std::optional<int64_t> end = operation(x, y);
      if (!end)
        return std::nullopt;
      ends.push_back(*end);
    }
  auto [low, high] = std::minmax_element(ends.begin(), ends.end());
  return DimRange{*low, *high};
}

/// The function of LLVM that reports overflow as a partial function.
static auto checked(int64_t (*operation)(int64_t, int64_t, int64_t &)) {
  return [operation](int64_t x, int64_t y) -> std::optional<int64_t> {
    int64_t result;
    if (operation(x, y, result))
      return std::nullopt;
    return result;
  };
}

static std::optional<int64_t> floorQuotient(int64_t x, int64_t y) {
  if (y <= 0)
    return std::nullopt;
  return divideFloorSigned(x, y);
}

std::optional<DimRange> DimExpression::evaluate(
    function_ref<std::optional<DimRange>(StringRef)> valueOf) const {
  SmallVector<DimRange> stack;
  for (const Step &step : steps) {
    std::optional<DimRange> value;
    if (step.kind == Kind::Number) {
      value = DimRange{step.number, step.number};
    } else if (step.kind == Kind::Name) {
      value = valueOf(step.name);
    } else {
      DimRange b = stack.pop_back_val(), a = stack.pop_back_val();
      if (step.kind == Kind::Add)
        value = combine(a, b, checked(AddOverflow<int64_t>));
      else if (step.kind == Kind::Subtract)
        value = combine(a, b, checked(SubOverflow<int64_t>));
      else if (step.kind == Kind::Multiply)
        value = combine(a, b, checked(MulOverflow<int64_t>));
      else
        value = combine(a, b, floorQuotient);
    }
    if (!value)
      return std::nullopt;
    stack.push_back(*value);
  }
  return stack.back();
}
