//===- Clocks.h - The vector clock of each record -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"
#include "runtime/verify/ClockPool.h"
#include "runtime/verify/Lanes.h"

#include <span>
#include <vector>

namespace mkrt::verify {

/// Walks records in topological order and keeps one clock per lane, that of
/// its latest record: for each lane, up to which position it is ordered before
/// the record. Each counter has a clock joined from its signallers, from the
/// first signal to the last wait.
class Clocks {
public:
  Clocks(const format::PackageView &view, const Lanes &lanes, ClockPool &pool);
  ~Clocks();
  Clocks(const Clocks &) = delete;
  Clocks &operator=(const Clocks &) = delete;

  /// The clock of the next record in order, its own position included. Valid
  /// until the next call.
  const uint32_t *begin(uint32_t record, uint32_t lane);
  /// Call after `begin`, when the record's accesses are done.
  void end(uint32_t record, uint32_t lane);
  /// The latest clock of a lane.
  const uint32_t *of(uint32_t lane) const { return rows_[lane]; }

private:
  const format::PackageView &view_;
  const Lanes &lanes_;
  ClockPool &pool_;
  std::vector<Row> rows_; ///< Per lane.
  std::vector<Row>
      counters_; ///< Null before the first signal, after all waits.
  std::vector<uint32_t> waitsLeft_;
};

} // namespace mkrt::verify
