//===- Oracle.cpp - A brute-force judge of schedules ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/Oracle.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

using namespace mkrt::format;
using namespace mkrt::test;

namespace {
/// One record's access to one unit of bytes.
struct UnitAccess {
  uint64_t unit; ///< Space in the upper bits.
  uint32_t record;
  unsigned operand;
  bool write;
  auto operator<=>(const UnitAccess &) const = default;
};

class Judge {
public:
  Judge(const PackageView &view, bool allPairs)
      : view_(view), allPairs_(allPairs), records_(view.records()) {}
  Verdict run();

private:
  bool execute();
  bool meaningIsKnown() const;
  bool evaluate();
  bool totalsMatch();
  bool ranksMatch();
  void closeReachability();
  void expand();
  bool raceFree();
  bool raceFreeIntervals();
  bool raceFreePairs(std::span<const UnitAccess> list) const;
  bool raceFreeChain(std::span<const UnitAccess> list);
  bool before(uint32_t a, uint32_t b) const {
    return reach_[b][a / 64] >> (a % 64) & 1;
  }

  struct Evaluated {
    uint32_t record;
    unsigned operand;
    OperandRef ref;
    bool write;
    ByteBox box;
  };
  void forEachRun(const ByteBox &box,
                  const std::function<void(int64_t)> &visit) const;
  uint64_t spaceKey(OperandRef ref) const {
    return uint64_t(ref.rawSpace()) << 16 | ref.index();
  }

  const PackageView &view_;
  bool allPairs_;
  std::span<const Record> records_;
  std::vector<Evaluated> accesses_;
  std::vector<UnitAccess> units_;
  std::vector<std::vector<uint64_t>>
      reach_; ///< Of each record: what is before.
  std::vector<uint32_t> order_, orderOf_;
};
} // namespace

bool Judge::meaningIsKnown() const {
  return std::all_of(records_.begin(), records_.end(), [](const Record &r) {
    return r.opcode == Opcode::Run &&
           std::all_of(std::begin(r.handoff), std::end(r.handoff),
                       [](Handoff h) { return h == Handoff::Counter; });
  });
}

bool Judge::evaluate() {
  for (uint32_t r = 0; r < records_.size(); ++r) {
    const Record &record = records_[r];
    const KernelInfo &kernel = view_.kernels()[record.kernel];
    for (uint32_t t = 0; t < record.tileCount; ++t)
      for (uint32_t a = 0; a < kernel.accessCount; ++a) {
        const AccessEntry &access = view_.accesses()[kernel.firstAccess + a];
        auto box =
            evaluateAccess(access, view_.accessCode(),
                           record.tileStart + uint64_t(t) * record.tileStride);
        if (!box || !box->hull())
          return false;
        if (box->empty())
          continue;
        OperandRef ref = view_.operand(record, access.operand);
        bool write = access.mode != AccessMode::Read;
        auto [begin, end] = *box->hull();
        int64_t base = int64_t(ref.offset());
        if (begin < -base || end > int64_t(view_.spaceBytes(ref)) - base)
          return false;
        if (write &&
            (ref.space() == Space::Weights || ref.space() == Space::Input))
          return false;
        accesses_.push_back({r, access.operand, ref, write, *box});
      }
  }
  return true;
}

bool Judge::totalsMatch() {
  std::map<uint32_t, uint64_t> total;
  for (const Record &record : records_)
    for (unsigned i = 0; i < record.signalCount; ++i)
      total[record.signals[i].counter] += record.signals[i].amount;
  for (auto [counter, sum] : total)
    if (sum > UINT32_MAX)
      return false;
  for (const Record &record : records_)
    for (unsigned i = 0; i < record.waitCount; ++i)
      if (total[record.waits[i].counter] != record.waits[i].target)
        return false;
  return true;
}

/// Runs any queue's head whose counters have reached their targets.
bool Judge::execute() {
  std::map<uint32_t, uint64_t> value;
  std::span<const uint32_t> starts = view_.queueStarts();
  std::vector<uint32_t> head(starts.begin(), starts.end() - 1);
  bool moved = true;
  while (moved) {
    moved = false;
    for (size_t q = 0; q < head.size(); ++q)
      while (head[q] < starts[q + 1]) {
        const Record &record = records_[head[q]];
        bool ready = true;
        for (unsigned i = 0; i < record.waitCount; ++i)
          ready &= value[record.waits[i].counter] >= record.waits[i].target;
        if (!ready)
          break;
        for (unsigned i = 0; i < record.signalCount; ++i)
          value[record.signals[i].counter] += record.signals[i].amount;
        order_.push_back(head[q]++);
        moved = true;
      }
  }
  return order_.size() == records_.size();
}

/// In execution order: what is before a record is its queue's record before,
/// each record that signals a counter it waits for, and what is before those.
void Judge::closeReachability() {
  size_t words = (records_.size() + 63) / 64;
  reach_.assign(records_.size(), std::vector<uint64_t>(words));
  std::map<uint32_t, std::vector<uint64_t>> behindCounter;
  std::vector<bool> startsQueue(records_.size() + 1);
  for (uint32_t start : view_.queueStarts())
    startsQueue[start] = true;
  auto include = [&](std::vector<uint64_t> &to,
                     const std::vector<uint64_t> &from) {
    for (size_t w = 0; w < words; ++w)
      to[w] |= from[w];
  };
  for (uint32_t r : order_) {
    const Record &record = records_[r];
    std::vector<uint64_t> &mine = reach_[r];
    if (!startsQueue[r]) {
      include(mine, reach_[r - 1]);
      mine[(r - 1) / 64] |= uint64_t(1) << ((r - 1) % 64);
    }
    for (unsigned i = 0; i < record.waitCount; ++i) {
      auto &counter = behindCounter[record.waits[i].counter];
      counter.resize(words);
      include(mine, counter);
    }
    for (unsigned i = 0; i < record.signalCount; ++i)
      if (record.signals[i].amount) {
        auto &counter = behindCounter[record.signals[i].counter];
        counter.resize(words);
        include(counter, mine);
        counter[r / 64] |= uint64_t(1) << (r % 64);
      }
  }
}

bool Judge::ranksMatch() {
  for (uint32_t b = 0; b < records_.size(); ++b)
    for (uint32_t a = 0; a < records_.size(); ++a)
      if (before(a, b) && records_[a].rank >= records_[b].rank)
        return false;
  return true;
}

void Judge::forEachRun(const ByteBox &box,
                       const std::function<void(int64_t)> &visit) const {
  std::function<void(unsigned, int64_t)> descend = [&](unsigned k, int64_t at) {
    if (k == box.rank)
      return visit(at);
    for (int64_t i = 0; i < box.size[k]; ++i)
      descend(k + 1, at + i * box.stride[k]);
  };
  descend(0, box.offset);
}

/// Every access to every unit; a unit is the greatest common divisor of all
/// offsets, strides and sizes, so one byte in general.
void Judge::expand() {
  std::map<uint64_t, bool> written;
  int64_t unit = 0;
  for (const Evaluated &access : accesses_) {
    written[spaceKey(access.ref)] |= access.write;
    unit = std::gcd(
        unit, std::gcd(int64_t(access.ref.offset()),
                       std::gcd(access.box.offset, access.box.innerBytes)));
    for (unsigned k = 0; k < access.box.rank; ++k)
      unit = std::gcd(unit, access.box.stride[k]);
  }
  for (const Evaluated &access : accesses_) {
    uint64_t key = spaceKey(access.ref);
    if (!written[key])
      continue;
    forEachRun(access.box, [&](int64_t at) {
      uint64_t first = uint64_t(at + int64_t(access.ref.offset())) / unit;
      for (int64_t i = 0; i < access.box.innerBytes / unit; ++i)
        units_.push_back({key << 44 | (first + uint64_t(i)), access.record,
                          access.operand, access.write});
    });
  }
  std::sort(units_.begin(), units_.end());
  units_.erase(std::unique(units_.begin(), units_.end()), units_.end());
}

/// A record's accesses have no order but those through one operand, which are
/// the kernel's own business.
static bool sameRecordAllows(const UnitAccess &a, const UnitAccess &b) {
  return a.operand == b.operand;
}

bool Judge::raceFreePairs(std::span<const UnitAccess> list) const {
  for (const UnitAccess &a : list)
    for (const UnitAccess &b : list)
      if ((a.write || b.write) &&
          (a.record == b.record
               ? !sameRecordAllows(a, b)
               : !before(a.record, b.record) && !before(b.record, a.record)))
        return false;
  return true;
}

bool Judge::raceFreeChain(std::span<const UnitAccess> list) {
  std::vector<UnitAccess> sorted(list.begin(), list.end());
  std::sort(sorted.begin(), sorted.end(),
            [&](const UnitAccess &a, const UnitAccess &b) {
              return orderOf_[a.record] < orderOf_[b.record];
            });
  const UnitAccess *lastWrite = nullptr;
  std::vector<const UnitAccess *> readers;
  auto ordered = [&](const UnitAccess *a, const UnitAccess &b) {
    return a->record == b.record ? sameRecordAllows(*a, b)
                                 : before(a->record, b.record);
  };
  for (const UnitAccess &access : sorted) {
    if (lastWrite && !ordered(lastWrite, access))
      return false;
    if (!access.write) {
      readers.push_back(&access);
      continue;
    }
    for (const UnitAccess *reader : readers)
      if (!ordered(reader, access))
        return false;
    readers.clear();
    lastWrite = &access;
  }
  return true;
}

namespace {
/// An access begins or ends to touch bytes at a place.
struct Edge {
  uint64_t at;
  uint32_t access;
  bool begins;
};

/// Names a set of accesses; its two sums of mixed numbers stand for the set.
struct SetName {
  uint64_t a = 0, b = 0;
  auto operator<=>(const SetName &) const = default;
  void toggle(uint64_t access, bool add) {
    uint64_t x = (access + 1) * 0x9E3779B97F4A7C15u;
    uint64_t y = (access + 1) * 0xC2B2AE3D27D4EB4Fu;
    x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
    y = (y ^ y >> 31) * 0x94D049BB133111EBu;
    a += add ? x : -x;
    b += add ? y : -y;
  }
};
} // namespace

/// Between two neighbouring edges all bytes are touched by the same accesses:
/// they are judged once. Each set of accesses is judged once, too.
bool Judge::raceFreeIntervals() {
  std::map<uint64_t, bool> written;
  for (const Evaluated &access : accesses_)
    written[spaceKey(access.ref)] |= access.write;
  std::vector<Edge> edges;
  for (uint32_t a = 0; a < accesses_.size(); ++a) {
    const Evaluated &access = accesses_[a];
    if (!written[spaceKey(access.ref)])
      continue;
    std::vector<std::pair<int64_t, int64_t>> runs;
    forEachRun(access.box, [&](int64_t at) {
      runs.push_back({at, at + access.box.innerBytes});
    });
    std::sort(runs.begin(), runs.end());
    uint64_t base = (spaceKey(access.ref) << 44) + access.ref.offset();
    for (size_t i = 0, j; i < runs.size(); i = j) {
      int64_t end = runs[i].second;
      for (j = i + 1; j < runs.size() && runs[j].first <= end; ++j)
        end = std::max(end, runs[j].second);
      edges.push_back({base + uint64_t(runs[i].first), a, true});
      edges.push_back({base + uint64_t(end), a, false});
    }
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge &x, const Edge &y) { return x.at < y.at; });
  std::vector<uint32_t> active;
  std::set<SetName> judged;
  SetName name;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].begins)
      active.push_back(edges[i].access);
    else
      active.erase(std::find(active.begin(), active.end(), edges[i].access));
    name.toggle(edges[i].access, edges[i].begins);
    bool complete = i + 1 == edges.size() || edges[i + 1].at != edges[i].at;
    if (!complete || active.size() < 2 || !judged.insert(name).second)
      continue;
    std::vector<UnitAccess> list;
    for (uint32_t a : active)
      list.push_back({edges[i].at, accesses_[a].record, accesses_[a].operand,
                      accesses_[a].write});
    if (!raceFreeChain(list))
      return false;
  }
  return true;
}

bool Judge::raceFree() {
  orderOf_.resize(records_.size());
  for (uint32_t i = 0; i < order_.size(); ++i)
    orderOf_[order_[i]] = i;
  if (!allPairs_)
    return raceFreeIntervals();
  expand();
  for (size_t begin = 0, end; begin < units_.size(); begin = end) {
    end = begin;
    while (end < units_.size() && units_[end].unit == units_[begin].unit)
      ++end;
    auto list = std::span(units_).subspan(begin, end - begin);
    if (!raceFreePairs(list))
      return false;
  }
  return true;
}

Verdict Judge::run() {
  if (!meaningIsKnown())
    return Verdict::Unknown;
  if (!evaluate())
    return Verdict::Access;
  if (!totalsMatch())
    return Verdict::Totals;
  if (!execute())
    return Verdict::Deadlock;
  closeReachability();
  if (!ranksMatch())
    return Verdict::Rank;
  return raceFree() ? Verdict::Sound : Verdict::Race;
}

Verdict mkrt::test::judge(const PackageView &view, bool allPairs) {
  return Judge(view, allPairs).run();
}

std::string_view mkrt::test::verdictName(Verdict verdict) {
  static constexpr std::string_view names[] = {
      "sound", "unknown", "access", "totals", "deadlock", "rank", "race"};
  return names[size_t(verdict)];
}
