//===- Footprints.cpp - The bytes that records touch ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Footprints.h"

#include <algorithm>

using namespace mkrt;
using namespace mkrt::verify;
using namespace mkrt::format;

// Far more than any model needs, so that a damaged package cannot keep the
// verifier busy for hours or fill the memory. Large packages may have more: all
// grow with the number of records.

/// Instructions of access programs to evaluate.
static uint64_t maxEvaluations(const PackageView &view) {
  return (uint64_t(1) << 30) + (uint64_t(view.records().size()) << 12);
}

/// Boxes of different footprints, at some 300 bytes each.
static uint64_t maxDistinctTouches(const PackageView &view) {
  return (uint64_t(1) << 20) + (uint64_t(view.records().size()) << 6);
}

/// Boxes of all records, at some 20 bytes each.
static uint64_t maxTouches(const PackageView &view) {
  return (uint64_t(1) << 23) + (uint64_t(view.records().size()) << 6);
}

size_t Footprints::KeyHash::operator()(const Key &key) const {
  uint64_t a = uint64_t(key.kernel) << 32 | key.start;
  uint64_t b = uint64_t(key.count) << 32 | key.stride;
  uint64_t hash = a * 0x9e3779b97f4a7c15;
  hash = (hash ^ hash >> 29 ^ b) * 0xbf58476d1ce4e5b9;
  return hash ^ hash >> 32;
}

static std::string tileText(const PackageView &view, uint32_t record,
                            uint64_t tile, const AccessEntry &access) {
  return recordText(view, record) + ", tile " + std::to_string(tile) +
         ", operand " + std::to_string(access.operand);
}

static bool reachesTooFar(std::pair<int64_t, int64_t> hull) {
  return hull.first < -kMaxReach || hull.second > kMaxReach;
}

static std::string hullText(std::pair<int64_t, int64_t> hull) {
  return "bytes [" + std::to_string(hull.first) + ", " +
         std::to_string(hull.second) + ")";
}

/// Boxes of one access for all tiles of a record, runs of equally spaced ones
/// merged.
Problem Footprints::evaluateTiles(uint32_t record, const AccessEntry &access,
                                  std::vector<FootprintTouch> &out) {
  const Record &r = view_.records()[record];
  Box first, last;
  int64_t count = 0, delta = 0;
  auto flush = [&] {
    if (count) {
      out.push_back({boxes_.intern(repeat(first, count, delta)),
                     uint8_t(access.operand), access.mode != AccessMode::Read});
      ++distinctTouches_;
    }
    count = 0;
  };
  for (uint32_t i = 0; i < r.tileCount; ++i) {
    uint64_t tile = r.tileStart + uint64_t(i) * r.tileStride;
    std::optional<ByteBox> evaluated =
        evaluateAccess(access, view_.accessCode(), tile);
    std::optional<std::pair<int64_t, int64_t>> hull;
    if (evaluated)
      hull = evaluated->hull();
    if (!hull)
      return {Failure::Overflow,
              tileText(view_, record, tile, access) +
                  ": the access cannot be evaluated (integer overflow, a "
                  "divisor that is not positive, or the value of a dim)"};
    if (evaluated->empty())
      continue;
    if (reachesTooFar(*hull))
      return {Failure::Bounds, tileText(view_, record, tile, access) + ": " +
                                   hullText(*hull) +
                                   " of the operand lie outside of any "
                                   "allocation"};
    Box box = *canonicalize(*evaluated);
    bool same = count && box.sameShape(first);
    if (same && count == 1)
      delta = box.offset - last.offset;
    if (!same || box.offset - last.offset != delta) {
      flush();
      if (distinctTouches_ > maxDistinctTouches(view_))
        return tooManyBoxes(record, maxDistinctTouches(view_));
      first = box;
    }
    last = box;
    ++count;
  }
  flush();
  return {};
}

Problem Footprints::countEvaluations(uint32_t record) {
  const Record &r = view_.records()[record];
  const KernelInfo &kernel = view_.kernels()[r.kernel];
  uint64_t instructions = 0;
  for (const AccessEntry &access :
       view_.accesses().subspan(kernel.firstAccess, kernel.accessCount))
    instructions += uint64_t(access.instrCount) + 1;
  const uint64_t limit = maxEvaluations(view_);
  // No overflow: tiles are counted in 32 bits, instructions in what fits a
  // file.
  evaluations_ += std::min(limit + 1, r.tileCount * instructions);
  if (evaluations_ <= limit)
    return {};
  return {Failure::TooLarge,
          recordText(view_, record) +
              ": with the records before, its tiles' accesses take " +
              std::to_string(evaluations_) +
              " instructions to evaluate or more, the verifier allows " +
              std::to_string(limit)};
}

Problem Footprints::tooManyBoxes(uint32_t record, uint64_t limit) const {
  return {Failure::TooLarge,
          recordText(view_, record) +
              ": with the records before, its tiles "
              "touch more than the " +
              std::to_string(limit) + " boxes that the verifier allows for " +
              std::to_string(view_.records().size()) + " records"};
}

Problem Footprints::build(uint32_t record, std::vector<FootprintTouch> &out) {
  const KernelInfo &kernel = view_.kernels()[view_.records()[record].kernel];
  for (const AccessEntry &access :
       view_.accesses().subspan(kernel.firstAccess, kernel.accessCount))
    if (Problem problem = evaluateTiles(record, access, out))
      return problem;
  // Writes come first among equal boxes of an operand, and cover the reads.
  std::sort(out.begin(), out.end(),
            [](const FootprintTouch &a, const FootprintTouch &b) {
              return std::tuple(a.operand, a.box, !a.write) <
                     std::tuple(b.operand, b.box, !b.write);
            });
  out.erase(std::unique(out.begin(), out.end(),
                        [](const FootprintTouch &a, const FootprintTouch &b) {
                          return a.operand == b.operand && a.box == b.box;
                        }),
            out.end());
  return {};
}

Problem Footprints::checkRecord(uint32_t record) const {
  const Record &r = view_.records()[record];
  for (const FootprintTouch &touch : footprints_[ofRecord_[record]]) {
    OperandRef ref = view_.operand(r, touch.operand);
    const Box &box = boxes_[touch.box];
    int64_t begin = int64_t(ref.offset()) + box.offset;
    if (begin < 0 || begin + box.extent > int64_t(view_.spaceBytes(ref)))
      return outOfBounds(record, touch.operand);
    if (touch.write &&
        (ref.space() == Space::Weights || ref.space() == Space::Input))
      return {Failure::ReadOnly,
              recordText(view_, record) + " writes " +
                  spaceText(view_, {ref.space(), ref.index()}) +
                  " through operand " + std::to_string(touch.operand)};
  }
  return {};
}

/// Finds the tile that leaves the operand's allocation.
Problem Footprints::outOfBounds(uint32_t record, unsigned operand) const {
  const Record &r = view_.records()[record];
  const KernelInfo &kernel = view_.kernels()[r.kernel];
  OperandRef ref = view_.operand(r, operand);
  int64_t base = int64_t(ref.offset()), size = int64_t(view_.spaceBytes(ref));
  std::string where;
  for (const AccessEntry &access :
       view_.accesses().subspan(kernel.firstAccess, kernel.accessCount)) {
    if (access.operand != operand)
      continue;
    for (uint32_t i = 0; i < r.tileCount && where.empty(); ++i) {
      uint64_t tile = r.tileStart + uint64_t(i) * r.tileStride;
      auto box = evaluateAccess(access, view_.accessCode(), tile);
      if (!box || box->empty())
        continue;
      auto [begin, end] = *box->hull();
      if (begin + base < 0 || end + base > size)
        where = tileText(view_, record, tile, access) + ": " +
                hullText({begin + base, end + base});
    }
  }
  return {Failure::Bounds, where + " lie outside of " +
                               spaceText(view_, {ref.space(), ref.index()}) +
                               ", which has " + std::to_string(size) +
                               " bytes"};
}

Problem Footprints::evaluate() {
  ofRecord_.reserve(view_.records().size());
  for (uint32_t record = 0; record < view_.records().size(); ++record) {
    const Record &r = view_.records()[record];
    tileCount_ += r.tileCount;
    Key key{r.kernel, r.tileCount ? r.tileStart : 0, r.tileCount,
            r.tileCount > 1 ? r.tileStride : 0};
    auto [it, isNew] = known_.try_emplace(key, uint32_t(footprints_.size()));
    if (isNew) {
      if (Problem problem = countEvaluations(record))
        return problem;
      footprints_.emplace_back();
      if (Problem problem = build(record, footprints_.back()))
        return problem;
    }
    ofRecord_.push_back(it->second);
    touches_ += footprints_[it->second].size();
    if (touches_ > maxTouches(view_))
      return tooManyBoxes(record, maxTouches(view_));
    if (Problem problem = checkRecord(record))
      return problem;
  }
  return {};
}
