//===- Compare.cpp - Comparing tensors ------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Compare.h"

#include "runtime/io/Elements.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mkrt;
using namespace mkrt::io;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tolerance mkrt::io::defaultTolerance(DataType type) {
  ElementClass kind = elementClass(type);
  if (kind != ElementClass::Float && kind != ElementClass::Complex)
    return {0, 0};
  if (type == types::Float16)
    return {1e-2, 1e-3};
  return format::elementBits(type) <= 16 ? Tolerance{5e-2, 1e-2}
                                         : Tolerance{1e-3, 1e-5};
}

namespace {
/// How far two numbers are from each other.
struct Distance {
  double absolute, relative;
  double excess; ///< absolute / tolerance; up to 1 is fine.
};
} // namespace

static Distance distance(double actual, double expected, Tolerance tolerance) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
    return {0, 0, 0};
  if (!std::isfinite(actual) || !std::isfinite(expected))
    return {kInfinity, kInfinity, kInfinity};
  double absolute = std::fabs(actual - expected);
  double allowed = tolerance.atol + tolerance.rtol * std::fabs(expected);
  double relative = expected == 0 ? kInfinity : absolute / std::fabs(expected);
  // Decided by the comparison itself, not by the rounded quotient.
  double excess = allowed > 0 ? absolute / allowed : kInfinity;
  if (absolute <= allowed)
    excess = std::min(excess, 1.0);
  else
    excess = std::max(excess, std::nextafter(1.0, 2.0));
  return {absolute, relative, excess};
}

/// Integers compare exactly although doubles are too short for 64 bits.
static Distance distance(int64_t actual, int64_t expected) {
  if (actual == expected)
    return {0, 0, 0};
  double absolute = std::fabs(double(actual) - double(expected));
  absolute = std::max(absolute, 1.0);
  return {absolute,
          expected == 0 ? kInfinity : absolute / std::fabs(double(expected)),
          kInfinity};
}

static std::vector<int64_t> indexOf(uint64_t element,
                                    std::span<const int64_t> shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t k = shape.size(); k-- > 0;) {
    index[k] = int64_t(element % uint64_t(shape[k]));
    element /= uint64_t(shape[k]);
  }
  return index;
}

Comparison mkrt::io::compareTensors(const Tensor &actual,
                                    const Tensor &expected,
                                    Tolerance tolerance) {
  Comparison result;
  if (actual.type() != expected.type() ||
      !std::ranges::equal(actual.shape(), expected.shape())) {
    result.mismatch =
        "is " + typeText(actual) + ", expected " + typeText(expected);
    return result;
  }
  ElementClass kind = elementClass(actual.type());
  bool isFloat = kind == ElementClass::Float || kind == ElementClass::Complex;
  uint64_t numbers = numberCount(actual), worst = 0;
  double worstExcess = -1;
  for (uint64_t i = 0; i < numbers; ++i) {
    Distance d =
        isFloat
            ? distance(numberAt(actual, i), numberAt(expected, i), tolerance)
            : distance(integerAt(actual, i), integerAt(expected, i));
    result.maxAbs = std::max(result.maxAbs, d.absolute);
    result.maxRel = std::max(result.maxRel, d.relative);
    result.mismatches += d.excess > 1;
    if (d.excess > worstExcess)
      worst = i, worstExcess = d.excess;
  }
  result.ok = result.mismatches == 0;
  if (numbers) {
    uint64_t perElement = numbers / actual.elementCount();
    result.worstIndex = indexOf(worst / perElement, actual.shape());
    result.worstActual = numberAt(actual, worst);
    result.worstExpected = numberAt(expected, worst);
  }
  return result;
}

Summary mkrt::io::summarize(const Tensor &tensor) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  uint64_t count = numberCount(tensor);
  if (count == 0)
    return {nan, nan, nan};
  Summary result{kInfinity, -kInfinity, 0};
  for (uint64_t i = 0; i < count; ++i) {
    double value = numberAt(tensor, i);
    if (std::isnan(value))
      return {nan, nan, nan};
    result.min = std::min(result.min, value);
    result.max = std::max(result.max, value);
    result.mean += value;
  }
  result.mean /= double(count);
  return result;
}
