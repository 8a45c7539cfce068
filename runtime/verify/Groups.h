//===- Groups.h - Touches by the buffer they belong to --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/verify/Footprints.h"
#include "runtime/verify/Templates.h"
#include "runtime/verify/Verify.h"

#include <vector>

namespace mkrt::verify {

/// Boxes that are likely to share bytes: those of one operand address, between
/// two changes of what lies there. Only a hint: the scan compares groups on the
/// same bytes with each other, however the boxes are distributed. Good groups
/// end early and repeat each other.
struct Group {
  uint32_t space;       ///< Number of the allocation.
  int64_t base;         ///< Of the operand in its allocation.
  uint32_t pattern = 0; ///< Template.
  uint32_t touches = 0;
};

/// A box that a record touches: group, number in the group's template.
struct Touch {
  uint32_t group;
  uint32_t local : 31;
  uint32_t write : 1;
};

/// Distributes the touches of all records into groups, in topological order.
/// Bytes that nothing writes are left out.
class Groups {
public:
  Groups(const format::PackageView &view, const BoxTable &boxes,
         const Footprints &footprints, const VerifyOptions &options,
         Effort &effort);

  void assign(std::span<const uint32_t> order);

  const Group &operator[](uint32_t group) const { return groups_[group]; }
  size_t size() const { return groups_.size(); }
  size_t templateCount() const { return templates_.size(); }
  size_t touchCount() const { return touches_.size(); }
  Templates &templates() { return templates_; }

  std::span<const Touch> of(uint32_t record) const {
    return std::span(touches_).subspan(start_[record], count_[record]);
  }
  SpaceId space(uint32_t number) const { return spaces_[number]; }
  size_t spaceCount() const { return spaces_.size(); }

private:
  class Assigner;
  uint32_t spaceNumber(format::OperandRef ref) const;
  void findWrittenSpaces();
  void buildTemplates();

  const format::PackageView &view_;
  const Footprints &footprints_;
  const VerifyOptions &options_;
  Templates templates_;
  std::vector<SpaceId> spaces_;
  std::vector<bool> written_; ///< Per space.
  std::vector<Group> groups_;
  std::vector<Touch> touches_;
  std::vector<size_t> start_; ///< Per record.
  std::vector<uint32_t> count_;
};

} // namespace mkrt::verify
