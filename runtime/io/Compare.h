//===- Compare.h - Comparing tensors --------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/Tensor.h"

#include <string>
#include <vector>

namespace mkrt::io {

struct Tolerance {
  double rtol, atol;
};

/// f32 and f64 1e-3, 1e-5; f16 1e-2, 1e-3; bf16 5e-2, 1e-2; smaller floats as
/// bf16; others exact.
Tolerance defaultTolerance(DataType type);

struct Comparison {
  bool ok = false;
  /// Why not, if type or shape differ; then nothing else is meaningful.
  std::string mismatch;
  double maxAbs = 0, maxRel = 0;
  /// The element that exceeds its tolerance most (or comes nearest to it);
  /// empty for tensors without elements.
  std::vector<int64_t> worstIndex;
  double worstActual = 0, worstExpected = 0;
  uint64_t mismatches = 0; ///< Elements beyond their tolerance.
};

/// |actual - expected| <= atol + rtol * |expected| for each element of a float
/// tensor; NaN equals NaN, infinities by sign. Integers and bools are exact,
/// types and shapes too. Infinite differences count as infinite in maxAbs and
/// maxRel.
Comparison compareTensors(const Tensor &actual, const Tensor &expected,
                          Tolerance tolerance);

/// Least, greatest and mean value; NaN if there are no elements or any is NaN.
struct Summary {
  double min, max, mean;
};
Summary summarize(const Tensor &tensor);

} // namespace mkrt::io
