//===- Fill.h - Made-up inputs --------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/Tensor.h"

#include <optional>
#include <string>

namespace mkrt::io {

/// What to fill a tensor with.
struct Fill {
  enum class Kind : uint8_t { Zeros, Random } kind = Kind::Random;
  uint64_t seed = 0;
  /// Floats lie in [lo, hi), integers in lo..hi with both ends. Without a
  /// range: floats in [-1, 1), integers and bools 0 or 1.
  std::optional<std::pair<double, double>> range;
};

/// Parses "zeros" or "random[:SEED[:LO:HI]]". Nullopt if `text` is something
/// else (a file name); an error text in `error` if it is a malformed one of
/// these.
std::optional<Fill> parseFill(const std::string &text, std::string &error);

/// Fills a tensor. The values depend on the seed and on `name` only, not on the
/// machine, so that several inputs of one seed differ.
void fillTensor(Tensor &tensor, const Fill &fill, const std::string &name);

} // namespace mkrt::io
