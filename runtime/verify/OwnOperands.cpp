//===- OwnOperands.cpp - Operands of one record on the same bytes ---------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/OwnOperands.h"

#include <algorithm>

using namespace mkrt;
using namespace mkrt::verify;
using namespace mkrt::format;

size_t OwnOperands::KeyHash::operator()(const Key &key) const {
  uint64_t pair = uint64_t(key.footprint) << 16 | key.a << 8 | key.b;
  uint64_t hash = pair * 0x9e3779b97f4a7c15;
  hash = (hash ^ hash >> 29 ^ uint64_t(key.distance)) * 0xbf58476d1ce4e5b9;
  return hash ^ hash >> 32;
}

std::span<const OwnOperands::Hull> OwnOperands::hullsOf(uint32_t record) {
  std::vector<Hull> &hulls = hulls_[footprints_.numberOf(record)];
  std::span<const FootprintTouch> touches = footprints_.of(record);
  if (!hulls.empty())
    return hulls;
  for (size_t i = 0, end; i < touches.size(); i = end) {
    Hull hull{touches[i].operand, INT64_MAX, INT64_MIN, false, {}};
    for (end = i; end < touches.size(); ++end) {
      if (touches[end].operand != hull.operand)
        break;
      const Box &box = boxes_[touches[end].box];
      hull.begin = std::min(hull.begin, box.offset);
      hull.end = std::max(hull.end, box.offset + box.extent);
      hull.write |= touches[end].write;
    }
    hull.touches = touches.subspan(i, end - i);
    hulls.push_back(hull);
  }
  return hulls;
}

Problem OwnOperands::check(uint32_t record) {
  std::span<const Hull> hulls = hullsOf(record);
  for (size_t i = 0; i < hulls.size(); ++i)
    for (size_t j = i + 1; j < hulls.size(); ++j)
      if (hulls[i].write || hulls[j].write)
        if (Problem problem = checkPair(record, hulls[i], hulls[j]))
          return problem;
  return {};
}

Problem OwnOperands::checkPair(uint32_t record, const Hull &a, const Hull &b) {
  const Record &r = view_.records()[record];
  OperandRef refA = view_.operand(r, a.operand),
             refB = view_.operand(r, b.operand);
  if (refA.space() != refB.space() || refA.index() != refB.index())
    return {};
  int64_t baseA = int64_t(refA.offset()), baseB = int64_t(refB.offset());
  if (a.end + baseA <= b.begin + baseB || b.end + baseB <= a.begin + baseA)
    return {};
  Key key{footprints_.numberOf(record), a.operand, b.operand, baseB - baseA};
  if (apart_.contains(key))
    return {};
  std::optional<int64_t> byte = sharedByte(a, baseA, b, baseB);
  if (effort_.exhausted())
    return {Failure::TooLarge,
            recordText(view_, record) +
                ": comparing its operands takes more steps than the verifier "
                "allows for " +
                std::to_string(view_.records().size()) + " records"};
  if (!byte) {
    apart_.insert(key);
    return {};
  }
  SpaceId space{refA.space(), refA.index()};
  auto text = [&](const Hull &hull) {
    return "operand " + std::to_string(hull.operand) + " at byte " +
           std::to_string(view_.operand(r, hull.operand).offset()) +
           (hull.write ? ", which it writes" : ", which it reads");
  };
  return {Failure::Race,
          recordText(view_, record) + " touches byte " + std::to_string(*byte) +
              " of " + spaceText(view_, space) +
              " through two operands: " + text(a) + ", and " + text(b) +
              "; nothing orders a kernel's own reads "
              "and writes"};
}

/// Sweeps over both operands' boxes in the order of their first bytes.
std::optional<int64_t> OwnOperands::sharedByte(const Hull &a, int64_t baseA,
                                               const Hull &b, int64_t baseB) {
  struct Item {
    const Box *box;
    int64_t base;
    bool ofB, write;
    int64_t begin() const { return box->offset + base; }
    int64_t end() const { return begin() + box->extent; }
  };
  std::vector<Item> items;
  for (const FootprintTouch &touch : a.touches)
    items.push_back({&boxes_[touch.box], baseA, false, touch.write});
  for (const FootprintTouch &touch : b.touches)
    items.push_back({&boxes_[touch.box], baseB, true, touch.write});
  std::sort(items.begin(), items.end(),
            [](const Item &x, const Item &y) { return x.begin() < y.begin(); });
  std::vector<const Item *> active[2];
  for (const Item &item : items) {
    std::vector<const Item *> &others = active[!item.ofB];
    std::erase_if(others, [&](const Item *other) {
      return other->end() <= item.begin();
    });
    for (const Item *other : others) {
      if (effort_.exhausted())
        return std::nullopt;
      if (!item.write && !other->write)
        continue;
      if (auto byte = commonByte(*item.box, item.base, *other->box, other->base,
                                 effort_))
        return byte;
    }
    active[item.ofB].push_back(&item);
  }
  return std::nullopt;
}
