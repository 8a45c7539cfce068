//===- DimExpression.h - Expressions as names of dims ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters name dims by expressions such as `past + 1` or `2*s0`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mkc::driver {

/// The values that a dim may have, both ends included.
struct DimRange {
  int64_t low = 0, high = 0;

  bool isPoint() const { return low == high; }
  bool operator==(const DimRange &) const = default;
};

/// A sum, difference, product or floor quotient of names and numbers.
class DimExpression {
public:
  /// Nothing if the text is no expression, or a single name.
  static std::optional<DimExpression> parse(llvm::StringRef text);

  std::vector<std::string> names() const;

  /// The values of the expression for the names' values. Nothing if a name has
  /// none, on overflow and on division by what may be zero or negative.
  std::optional<DimRange>
  evaluate(llvm::function_ref<std::optional<DimRange>(llvm::StringRef)> valueOf)
      const;

private:
  friend class DimExpressionParser;
  enum class Kind : uint8_t { Number, Name, Add, Subtract, Multiply, Divide };
  struct Step {
    Kind kind;
    int64_t number = 0;
    std::string name = {};
  };
  /// In postfix order.
  std::vector<Step> steps;
};

} // namespace mkc::driver
