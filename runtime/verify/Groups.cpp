//===- Groups.cpp - Touches by the buffer they belong to ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Groups.h"

#include "runtime/verify/FlatSet.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

using namespace mkrt;
using namespace mkrt::verify;
using namespace mkrt::format;

Groups::Groups(const PackageView &view, const BoxTable &boxes,
               const Footprints &footprints, const VerifyOptions &options,
               Effort &effort)
    : view_(view), footprints_(footprints), options_(options),
      templates_(boxes, options.joinedAbove, effort) {
  spaces_ = {{Space::Arena, 0}, {Space::Weights, 0}, {Space::State, 0}};
  for (uint32_t i = 0; i < view.program().inputCount; ++i)
    spaces_.push_back({Space::Input, uint16_t(i)});
  for (uint32_t i = 0; i < view.program().outputCount; ++i)
    spaces_.push_back({Space::Output, uint16_t(i)});
}

uint32_t Groups::spaceNumber(OperandRef ref) const {
  switch (ref.space()) {
  case Space::Input:
    return 3 + ref.index();
  case Space::Output:
    return 3 + view_.program().inputCount + ref.index();
  default:
    return uint32_t(ref.space());
  }
}

void Groups::findWrittenSpaces() {
  written_.assign(spaces_.size(), false);
  for (uint32_t r = 0; r < view_.records().size(); ++r)
    for (const FootprintTouch &touch : footprints_.of(r))
      if (touch.write)
        written_[spaceNumber(
            view_.operand(view_.records()[r], touch.operand))] = true;
}

/// Walks the records and puts each touch into the group that is open at its
/// operand's address. What only that needs lives no longer than the walk.
class Groups::Assigner {
public:
  explicit Assigner(Groups &groups) : groups_(groups), view_(groups.view_) {}

  void assign(uint32_t record) {
    groups_.start_[record] = groups_.touches_.size();
    for (const FootprintTouch &touch : groups_.footprints_.of(record))
      assign(record, touch);
    groups_.count_[record] =
        uint32_t(groups_.touches_.size() - groups_.start_[record]);
  }

private:
  /// What lies at an operand address now.
  struct Place {
    uint32_t group = UINT32_MAX;
    uint32_t distinctBoxes = 0;
  };
  void assign(uint32_t record, const FootprintTouch &touch);
  void startGroup(Place &place, uint32_t space, int64_t base) {
    place = {uint32_t(groups_.groups_.size()), 0};
    groups_.groups_.push_back({space, base});
  }

  Groups &groups_;
  const PackageView &view_;
  std::unordered_map<uint64_t, uint32_t> placeOf_; ///< By an operand's bits.
  std::vector<Place> places_;
  FlatSet boxInGroup_, writerOfPlace_;
};

/// A group ends when a dispatch writes to its place that has not written there
/// before: most likely another value begins. And when it has too many boxes.
void Groups::Assigner::assign(uint32_t record, const FootprintTouch &touch) {
  OperandRef ref = view_.operand(view_.records()[record], touch.operand);
  uint32_t space = groups_.spaceNumber(ref);
  if (!groups_.written_[space])
    return;
  auto [it, isNew] = placeOf_.try_emplace(ref.bits(), uint32_t(places_.size()));
  if (isNew)
    places_.emplace_back();
  Place &place = places_[it->second];
  int64_t base = int64_t(ref.offset());
  bool newWriter =
      touch.write && writerOfPlace_.insert(uint64_t(it->second) << 32 |
                                           view_.recordDispatch()[record]);
  if (isNew || newWriter)
    startGroup(place, space, base);
  auto isNewBox = [&] {
    return boxInGroup_.insert(uint64_t(place.group) << 32 | touch.box);
  };
  if (isNewBox() && ++place.distinctBoxes > groups_.options_.boxesPerGroup) {
    startGroup(place, space, base);
    isNewBox();
    place.distinctBoxes = 1;
  }
  ++groups_.groups_[place.group].touches;
  groups_.touches_.push_back({place.group, touch.box, touch.write});
}

void Groups::assign(std::span<const uint32_t> order) {
  findWrittenSpaces();
  start_.resize(view_.records().size());
  count_.resize(view_.records().size());
  {
    Assigner assigner(*this);
    for (uint32_t record : order)
      assigner.assign(record);
  }
  buildTemplates();
}

/// Collects the distinct boxes of each group and replaces the boxes of touches
/// by their numbers in the template.
void Groups::buildTemplates() {
  std::vector<size_t> start(groups_.size() + 1);
  for (size_t g = 0; g < groups_.size(); ++g)
    start[g + 1] = start[g] + groups_[g].touches;
  std::vector<uint32_t> byGroup(touches_.size());
  std::vector<size_t> at(start.begin(), start.end() - 1);
  for (size_t i = 0; i < touches_.size(); ++i)
    byGroup[at[touches_[i].group]++] = uint32_t(i);

  std::vector<TemplateBox> boxes;
  for (size_t g = 0; g < groups_.size(); ++g) {
    auto members = std::span(byGroup).subspan(start[g], groups_[g].touches);
    boxes.clear();
    for (uint32_t i : members)
      boxes.push_back(
          {touches_[i].local, !touches_[i].write, bool(touches_[i].write)});
    std::sort(boxes.begin(), boxes.end());
    size_t kept = 0;
    for (const TemplateBox &b : boxes) {
      if (kept && boxes[kept - 1].box == b.box) {
        boxes[kept - 1].read |= b.read;
        boxes[kept - 1].written |= b.written;
      } else {
        boxes[kept++] = b;
      }
    }
    boxes.resize(kept);
    groups_[g].pattern = templates_.intern(boxes);
    for (uint32_t i : members) {
      auto found = std::partition_point(
          boxes.begin(), boxes.end(),
          [&](const TemplateBox &b) { return b.box < touches_[i].local; });
      touches_[i].local = uint32_t(found - boxes.begin());
    }
  }
}
