//===- Boxes.h - Strided boxes of bytes -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/AccessProgram.h"
#include "runtime/verify/Effort.h"

#include <cstddef>
#include <optional>
#include <unordered_set>
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
/// themselves included. Fast for boxes of one frame and for strides with a
/// common factor that keeps them apart; others may take as many steps as they
/// have runs, up to what `effort` allows (its user must ask whether it is
/// exhausted: the answer means nothing then).
std::optional<int64_t> commonByte(const Box &a, int64_t moveA, const Box &b,
                                  int64_t moveB, Effort &effort);

/// Gives equal boxes equal numbers.
class BoxTable {
public:
  BoxTable() : ids_(0, Hash{&boxes_}, Equal{&boxes_}) {}
  BoxTable(const BoxTable &) = delete;
  BoxTable &operator=(const BoxTable &) = delete;

  uint32_t intern(const Box &box);
  const Box &operator[](uint32_t id) const { return boxes_[id]; }
  size_t size() const { return boxes_.size(); }

private:
  // The set holds numbers only, and can be asked for a box: boxes are large.
  struct Hash {
    using is_transparent = void;
    const std::vector<Box> *boxes;
    size_t operator()(const Box &box) const;
    size_t operator()(uint32_t id) const { return (*this)((*boxes)[id]); }
  };
  struct Equal {
    using is_transparent = void;
    const std::vector<Box> *boxes;
    bool operator()(uint32_t a, uint32_t b) const { return a == b; }
    bool operator()(const Box &a, uint32_t b) const { return a == (*boxes)[b]; }
    bool operator()(uint32_t a, const Box &b) const { return (*boxes)[a] == b; }
  };
  std::vector<Box> boxes_;
  std::unordered_set<uint32_t, Hash, Equal> ids_;
};

} // namespace mkrt::verify
