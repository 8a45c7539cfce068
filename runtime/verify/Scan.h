//===- Scan.h - Finding unordered conflicts -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/verify/Clocks.h"
#include "runtime/verify/GroupState.h"
#include "runtime/verify/Groups.h"
#include "runtime/verify/Report.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace mkrt::verify {

/// Walks the records in topological order and compares each access with all
/// earlier ones that share a byte and conflict.
///
/// Per distinct box of a group, the last position of each lane that wrote it
/// and that read it is kept (`GroupState`). An access of record r to box b is
/// ordered behind all earlier conflicting accesses exactly if, for each box
/// that shares a byte with b, the kept positions lie within r's clock: each
/// kept position is a real access that conflicts, and earlier accesses of its
/// lane come before it.
///
/// Across groups on the same bytes (reuse of memory, views, cut groups),
/// summaries of a whole group are compared first: they are maxima, so passing
/// them is passing all. Only box-by-box tests refuse.
///
/// Every `retireInterval` records, groups are forgotten that have no access
/// left and that all lanes' future records are ordered behind. The future of a
/// lane that sleeps for long is told from the clock of its next record, which
/// a walk over the clocks alone has found before.
class Scan {
public:
  Scan(const format::PackageView &view, const BoxTable &boxes,
       const Footprints &footprints, Groups &groups,
       const VerifyOptions &options, Effort &effort);
  ~Scan();

  Problem run(std::span<const uint32_t> order);
  uint64_t exactTests() const { return exactTests_; }

private:
  /// The access that is being checked.
  struct Access {
    uint32_t record, lane, position; ///< Position + 1.
    const uint32_t *clock;
    uint32_t group, local;
    bool write;
  };
  void collectWakeClocks(std::span<const uint32_t> order);
  GroupState &stateOf(uint32_t group);
  void open(uint32_t group);
  Problem checkRecord(uint32_t record, uint32_t lane, const uint32_t *clock);
  Problem checkAccess(const Access &access);
  Problem checkOwnGroup(const Access &access, GroupState &state);
  Problem checkJoined(const Access &access, GroupState &state);
  Problem checkOtherGroups(const Access &access, GroupState &state);
  Problem checkExactly(const Access &access, uint32_t otherGroup);
  void note(const Access &access, GroupState &state);
  const std::vector<uint32_t> &crossing(uint32_t box, uint32_t pattern,
                                        int64_t delta);
  /// `position` of `lane` is the record that the access conflicts with.
  Problem race(const Access &access, uint32_t otherGroup, uint32_t otherLocal,
               uint32_t lane, uint32_t position, bool otherWrites) const;
  void retire(const Clocks &clocks, std::span<const uint32_t> done);
  void forget(uint32_t group);

  const format::PackageView &view_;
  const BoxTable &boxes_;
  Groups &groups_;
  const VerifyOptions &options_;
  Effort &effort_;
  Lanes lanes_;
  ClockPool rows_, lists_;
  PositionSet::Pools pools_;
  std::vector<std::unique_ptr<GroupState>> states_;
  std::vector<std::vector<uint32_t>> live_;      ///< Groups per space.
  std::unordered_map<uint32_t, Row> wakeClocks_; ///< By record.

  struct CrossingKey {
    uint32_t box, pattern;
    int64_t delta;
    bool operator==(const CrossingKey &) const = default;
  };
  struct CrossingHash {
    size_t operator()(const CrossingKey &key) const;
  };
  std::unordered_map<CrossingKey, std::vector<uint32_t>, CrossingHash>
      crossings_;
  uint64_t exactTests_ = 0;
};

} // namespace mkrt::verify
