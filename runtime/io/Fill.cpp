//===- Fill.cpp - Made-up inputs ------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Fill.h"

#include "runtime/io/Elements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

using namespace mkrt;
using namespace mkrt::io;

namespace {
/// SplitMix64: one multiplication chain per number, good enough for test data.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// In [0, 1).
  double unit() { return double(next() >> 11) * 0x1p-53; }

private:
  uint64_t state_;
};
} // namespace

static std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts{""};
  for (char c : text) {
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

template <typename T> static bool parseNumber(const std::string &s, T &out) {
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out);
  return error == std::errc() && end == s.data() + s.size();
}

std::optional<Fill> mkrt::io::parseFill(const std::string &text,
                                        std::string &error) {
  error.clear();
  if (text == "zeros")
    return Fill{Fill::Kind::Zeros, 0, {}};
  std::vector<std::string> parts = split(text);
  if (parts[0] != "random")
    return std::nullopt;
  Fill fill;
  double lo = 0, hi = 0;
  bool ok = parts.size() == 1 || parts.size() == 2 || parts.size() == 4;
  if (ok && parts.size() > 1)
    ok = parseNumber(parts[1], fill.seed);
  if (ok && parts.size() == 4) {
    ok = parseNumber(parts[2], lo) && parseNumber(parts[3], hi) &&
         std::isfinite(lo) && std::isfinite(hi) && lo <= hi;
    fill.range = {lo, hi};
  }
  if (!ok) {
    error = "'" + text +
            "' is not of the form random[:SEED[:LO:HI]] with "
            "LO <= HI";
    return std::nullopt;
  }
  return fill;
}

static uint64_t hashName(const std::string &name) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a.
  for (unsigned char c : name)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

void mkrt::io::fillTensor(Tensor &tensor, const Fill &fill,
                          const std::string &name) {
  if (fill.kind == Fill::Kind::Zeros) {
    if (!tensor.bytes().empty())
      std::memset(tensor.bytes().data(), 0, tensor.bytes().size());
    return;
  }
  Random random(Random(fill.seed).next() ^ hashName(name));
  ElementClass kind = elementClass(tensor.type());
  bool isFloat = kind == ElementClass::Float || kind == ElementClass::Complex;
  auto [lo, hi] =
      fill.range.value_or(isFloat ? std::pair(-1.0, 1.0) : std::pair(0.0, 1.0));
  if (!isFloat) {
    constexpr double kMost = 0x1p62; // So that sums and conversions stay exact.
    lo = std::clamp(std::ceil(lo), -kMost, kMost);
    hi = std::clamp(std::floor(hi), lo, kMost);
  }
  uint64_t count = numberCount(tensor);
  for (uint64_t i = 0; i < count; ++i) {
    double unit = random.unit();
    if (isFloat)
      setNumber(tensor, i, lo + unit * (hi - lo));
    else
      setInteger(tensor, i, int64_t(std::floor(lo + unit * (hi - lo + 1))));
  }
}
