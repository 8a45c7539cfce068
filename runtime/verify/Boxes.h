//===- Boxes.h - Strided boxes of bytes -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/AccessProgram.h"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace mkrt::verify {

/// One dim more than an access has: the tiles of a record.
inline constexpr unsigned kMaxRank = format::kMaxBoxRank + 1;

/// Boxes reach no further than this from their operand; anything beyond lies
/// outside of every allocation, and all arithmetic below stays far from
/// overflow.
inline constexpr int64_t kMaxReach = int64_t(1) << 46;

/// A non-empty set of bytes offset + sum(i_k * stride_k) + [0, innerBytes) in a
/// canonical form: strides positive and not increasing, no dim of size 1, no
/// dim that continues its inner one or the run of bytes.
struct Box {
  int64_t offset = 0;
  int64_t innerBytes = 0;
  int64_t extent = 0; ///< From the first byte to behind the last.
  unsigned rank = 0;
  int64_t size[kMaxRank] = {};
  int64_t stride[kMaxRank] = {};
  int64_t inner[kMaxRank] = {}; ///< Extent of what dim k repeats.

  bool operator==(const Box &) const = default;
  /// Equal but for the offset.
  bool sameShape(const Box &other) const;
};

/// The canonical form; nullopt if the box is empty. Its hull must reach no
/// further than kMaxReach.
std::optional<Box> canonicalize(const format::ByteBox &box);

/// The union of `count` copies of a box, each `delta` bytes behind the one
/// before. The box must have fewer than kMaxRank dims.
Box repeat(const Box &box, int64_t count, int64_t delta);

/// A byte that both boxes hold when they are moved by `moveA` and `moveB`;
/// nullopt if there is none. Exact for any strides, dims that overlap
/// themselves included.
std::optional<int64_t> commonByte(const Box &a, int64_t moveA, const Box &b,
                                  int64_t moveB);

/// Gives equal boxes equal numbers.
class BoxTable {
public:
  uint32_t intern(const Box &box);
  const Box &operator[](uint32_t id) const { return boxes_[id]; }
  size_t size() const { return boxes_.size(); }

private:
  struct Hash {
    size_t operator()(const Box &box) const;
  };
  std::unordered_map<Box, uint32_t, Hash> ids_;
  std::vector<Box> boxes_;
};

} // namespace mkrt::verify
