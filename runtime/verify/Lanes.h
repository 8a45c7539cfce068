//===- Lanes.h - The queues that have records -----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"

#include <vector>

namespace mkrt::verify {

/// Numbers the queues that have records. Clocks have an entry per lane: a
/// package may name many thousand queues that hold nothing.
class Lanes {
public:
  explicit Lanes(const format::PackageView &view)
      : ofRecord_(view.records().size()) {
    std::span<const uint32_t> starts = view.queueStarts();
    for (uint32_t q = 0; q + 1 < starts.size(); ++q) {
      if (starts[q] == starts[q + 1])
        continue;
      for (uint32_t record = starts[q]; record < starts[q + 1]; ++record)
        ofRecord_[record] = count();
      lanes_.push_back({q, starts[q], starts[q + 1]});
    }
  }

  uint32_t count() const { return uint32_t(lanes_.size()); }
  uint32_t of(uint32_t record) const { return ofRecord_[record]; }
  uint32_t queue(uint32_t lane) const { return lanes_[lane].queue; }
  /// The lane's first record, and the one behind its last.
  uint32_t begin(uint32_t lane) const { return lanes_[lane].begin; }
  uint32_t end(uint32_t lane) const { return lanes_[lane].end; }

private:
  struct Lane {
    uint32_t queue, begin, end;
  };
  std::vector<Lane> lanes_;
  std::vector<uint32_t> ofRecord_;
};

} // namespace mkrt::verify
