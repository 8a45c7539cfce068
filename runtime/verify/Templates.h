//===- Templates.h - Which boxes of a group share bytes -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/verify/Boxes.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace mkrt::verify {

/// A box of a template and whether anything reads or writes it.
struct TemplateBox {
  uint32_t box;
  bool read, written;
  auto operator<=>(const TemplateBox &) const = default;
};

/// Lists of numbers, one list per box.
class Lists {
public:
  /// Of pairs (list, element), in any order.
  void build(uint32_t count,
             std::span<const std::pair<uint32_t, uint32_t>> pairs);
  std::span<const uint32_t> operator[](uint32_t i) const {
    return std::span(elements_).subspan(starts_[i],
                                        starts_[i + 1] - starts_[i]);
  }

private:
  std::vector<uint32_t> starts_, elements_;
};

/// The distinct boxes of a group and which of them share bytes. Groups with
/// equal boxes, such as the buffers of equal layers, share a template.
struct Template {
  std::vector<TemplateBox> boxes; ///< Sorted: the local numbers.
  uint32_t groups = 0;            ///< That still need it.
  int64_t begin = 0, end = 0;     ///< The hull of all boxes.

  /// Per box, those that share a byte with it: written ones, and, for a written
  /// box, read ones. A written box is in its own list.
  Lists writers, readers;
  /// Boxes with many writers keep a joined vector of all their writes (its
  /// number, or -1); `pushes` lists, per written box, the joined vectors it is
  /// part of.
  std::vector<int32_t> joined;
  uint32_t joinedCount = 0;
  Lists pushes;
  /// Local numbers by the boxes' offset, and the largest extent: to find those
  /// near a given box.
  std::vector<uint32_t> byOffset;
  int64_t largestExtent = 0;
  bool isBuilt = false;
};

/// All templates. They are built when the first group needs them and dropped
/// with the last one.
class Templates {
public:
  Templates(const BoxTable &boxes, uint32_t joinedAbove, Effort &effort)
      : boxes_(boxes), joinedAbove_(joinedAbove), effort_(effort) {}

  /// The template with these boxes (sorted, distinct), for one more group.
  uint32_t intern(const std::vector<TemplateBox> &boxes);
  const Template &hull(uint32_t id) const { return templates_[id]; }
  const Template &built(uint32_t id);
  void drop(uint32_t id);
  size_t size() const { return templates_.size(); }

  /// Local numbers of the boxes that share a byte with `box` moved by `delta`.
  void crossing(uint32_t id, const Box &box, int64_t delta,
                std::vector<uint32_t> &out) const;

private:
  using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;
  void build(Template &t) const;
  Pairs overlaps(const Template &t) const;

  const BoxTable &boxes_;
  uint32_t joinedAbove_;
  Effort &effort_;
  std::map<std::vector<TemplateBox>, uint32_t> known_;
  std::vector<Template> templates_;
};

} // namespace mkrt::verify
