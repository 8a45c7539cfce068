//===- Footprints.h - The bytes that records touch ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/verify/Boxes.h"
#include "runtime/verify/Report.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace mkrt::verify {

/// One box that a record touches, relative to an operand. A box that is read
/// and written counts as written: that conflicts with everything.
struct FootprintTouch {
  uint32_t box;
  uint8_t operand;
  bool write;
};

/// Evaluates the access programs. Records with equal kernels and tile ranges
/// share a footprint, so a model of many equal layers costs one. Tiles whose
/// boxes are equally spaced become one box.
class Footprints {
public:
  Footprints(const format::PackageView &view, BoxTable &boxes)
      : view_(view), boxes_(boxes) {}

  /// Evaluates all records and checks that they stay inside their allocations
  /// and write nothing that is read-only.
  Problem evaluate();

  /// Sorted by operand. Records with equal numbers have equal touches.
  std::span<const FootprintTouch> of(uint32_t record) const {
    return footprints_[ofRecord_[record]];
  }
  uint32_t numberOf(uint32_t record) const { return ofRecord_[record]; }
  size_t size() const { return footprints_.size(); }
  uint64_t tileCount() const { return tileCount_; }

private:
  struct Key {
    uint32_t kernel, start, count, stride;
    bool operator==(const Key &) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key &key) const;
  };
  Problem build(uint32_t record, std::vector<FootprintTouch> &out);
  Problem evaluateTiles(uint32_t record, const format::AccessEntry &access,
                        std::vector<FootprintTouch> &out);
  Problem countEvaluations(uint32_t record);
  Problem tooManyBoxes(uint32_t record, uint64_t limit) const;
  Problem checkRecord(uint32_t record) const;
  Problem outOfBounds(uint32_t record, unsigned operand) const;

  const format::PackageView &view_;
  BoxTable &boxes_;
  std::unordered_map<Key, uint32_t, KeyHash> known_;
  std::vector<std::vector<FootprintTouch>> footprints_;
  std::vector<uint32_t> ofRecord_;
  uint64_t tileCount_ = 0;
  uint64_t evaluations_ = 0;     ///< Instructions of access programs.
  uint64_t distinctTouches_ = 0; ///< Before equal ones are joined.
  uint64_t touches_ = 0;         ///< Of all records.
};

} // namespace mkrt::verify
