//===- Templates.cpp - Which boxes of a group share bytes -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Templates.h"

#include <algorithm>
#include <numeric>

using namespace mkrt::verify;

void Lists::build(uint32_t count,
                  std::span<const std::pair<uint32_t, uint32_t>> pairs) {
  starts_.assign(count + 1, 0);
  for (auto [list, element] : pairs)
    ++starts_[list + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  elements_.resize(pairs.size());
  std::vector<uint32_t> at(starts_.begin(), starts_.end() - 1);
  for (auto [list, element] : pairs)
    elements_[at[list]++] = element;
}

uint32_t Templates::intern(const std::vector<TemplateBox> &boxes) {
  auto [it, isNew] = known_.try_emplace(boxes, uint32_t(templates_.size()));
  if (isNew) {
    Template t;
    t.boxes = boxes;
    t.begin = INT64_MAX;
    t.end = INT64_MIN;
    for (const TemplateBox &b : boxes) {
      const Box &box = boxes_[b.box];
      t.begin = std::min(t.begin, box.offset);
      t.end = std::max(t.end, box.offset + box.extent);
    }
    templates_.push_back(std::move(t));
  }
  ++templates_[it->second].groups;
  return it->second;
}

const Template &Templates::built(uint32_t id) {
  Template &t = templates_[id];
  if (!t.isBuilt)
    build(t);
  return t;
}

void Templates::drop(uint32_t id) {
  Template &t = templates_[id];
  if (--t.groups == 0) {
    Template empty;
    empty.begin = t.begin;
    empty.end = t.end;
    t = std::move(empty);
  }
}

/// Pairs of boxes that share a byte, at least one written: (later, earlier) in
/// the order of their offsets. Sweeps over the hulls' starts; reads meet writes
/// only.
Templates::Pairs Templates::overlaps(const Template &t) const {
  Pairs pairs;
  std::vector<uint32_t> activeReads, activeWrites;
  auto meet = [&](std::vector<uint32_t> &active, uint32_t i) {
    const Box &box = boxes_[t.boxes[i].box];
    size_t kept = 0;
    for (uint32_t j : active) {
      const Box &other = boxes_[t.boxes[j].box];
      if (other.offset + other.extent <= box.offset)
        continue; // Behind the sweep for good.
      active[kept++] = j;
      if (effort_.exhausted())
        continue;
      if (commonByte(box, 0, other, 0, effort_))
        pairs.emplace_back(i, j);
    }
    active.resize(kept);
  };
  for (uint32_t i : t.byOffset) {
    meet(activeWrites, i);
    if (t.boxes[i].written) {
      meet(activeReads, i);
      pairs.emplace_back(i, i);
      activeWrites.push_back(i);
    } else {
      activeReads.push_back(i);
    }
  }
  return pairs;
}

void Templates::build(Template &t) const {
  uint32_t count = uint32_t(t.boxes.size());
  t.byOffset.resize(count);
  std::iota(t.byOffset.begin(), t.byOffset.end(), 0);
  std::sort(t.byOffset.begin(), t.byOffset.end(), [&](uint32_t a, uint32_t b) {
    return boxes_[t.boxes[a].box].offset < boxes_[t.boxes[b].box].offset;
  });
  for (const TemplateBox &b : t.boxes)
    t.largestExtent = std::max(t.largestExtent, boxes_[b.box].extent);

  Pairs writers, readers, pushes;
  auto add = [&](uint32_t i, uint32_t j) {
    if (t.boxes[j].written)
      writers.emplace_back(i, j);
    if (t.boxes[i].written && t.boxes[j].read)
      readers.emplace_back(i, j);
  };
  for (auto [i, j] : overlaps(t)) {
    add(i, j);
    if (i != j)
      add(j, i);
  }
  t.writers.build(count, writers);
  t.readers.build(count, readers);
  t.joined.assign(count, -1);
  for (uint32_t i = 0; i < count; ++i)
    if (t.writers[i].size() > joinedAbove_)
      t.joined[i] = int32_t(t.joinedCount++);
  for (auto [i, j] : writers)
    if (t.joined[i] >= 0)
      pushes.emplace_back(j, uint32_t(t.joined[i]));
  t.pushes.build(count, pushes);
  t.isBuilt = true;
}

void Templates::crossing(uint32_t id, const Box &box, int64_t delta,
                         std::vector<uint32_t> &out) const {
  const Template &t = templates_[id];
  out.clear();
  int64_t begin = box.offset + delta, end = begin + box.extent;
  auto at = std::partition_point(
      t.byOffset.begin(), t.byOffset.end(), [&](uint32_t i) {
        return boxes_[t.boxes[i].box].offset + t.largestExtent <= begin;
      });
  for (; at != t.byOffset.end(); ++at) {
    const Box &other = boxes_[t.boxes[*at].box];
    if (other.offset >= end || effort_.exhausted())
      break;
    if (commonByte(box, delta, other, 0, effort_))
      out.push_back(*at);
  }
  std::sort(out.begin(), out.end());
}
