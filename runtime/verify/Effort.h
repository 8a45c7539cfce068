//===- Effort.h - What a verification may cost ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace mkrt::verify {

/// Counts the steps of tests whose number grows faster than a package: strides
/// that never meet, boxes that all overlap. Whoever loops over such steps ends
/// early once it is exhausted, with any answer: the verifier then refuses the
/// schedule as too large, whatever was found.
class Effort {
public:
  explicit Effort(int64_t steps = INT64_MAX) : left_(steps) {}

  void spend(int64_t steps = 1) { left_ -= steps; }
  bool exhausted() const { return left_ < 0; }

private:
  int64_t left_;
};

} // namespace mkrt::verify
