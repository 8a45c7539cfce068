//===- Fold.cpp - Fewer queues than the package has -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Fold.h"

#include <algorithm>
#include <cassert>

using namespace mkrt::host;

std::vector<uint32_t>
mkrt::host::recordsByRank(const format::PackageView &view) {
  std::vector<uint32_t> byRank(view.records().size());
  for (uint32_t r = 0; r < byRank.size(); ++r)
    byRank[view.records()[r].rank] = r;
  return byRank;
}

Fold mkrt::host::foldQueues(const format::PackageView &view,
                            std::span<const uint32_t> recordOfRank,
                            unsigned count) {
  assert(count > 0);
  std::span<const uint32_t> queueStarts = view.queueStarts();
  std::vector<uint32_t> virtualQueue(recordOfRank.size());
  Fold fold;
  fold.starts.assign(count + 1, 0);
  for (size_t q = 0; q + 1 < queueStarts.size(); ++q) {
    uint32_t v = uint32_t(q % count);
    fold.starts[v + 1] += queueStarts[q + 1] - queueStarts[q];
    std::fill(virtualQueue.begin() + queueStarts[q],
              virtualQueue.begin() + queueStarts[q + 1], v);
  }
  for (unsigned v = 0; v < count; ++v)
    fold.starts[v + 1] += fold.starts[v];
  std::vector<uint32_t> next(fold.starts.begin(), fold.starts.end() - 1);
  fold.records.resize(recordOfRank.size());
  for (uint32_t record : recordOfRank)
    fold.records[next[virtualQueue[record]]++] = record;
  return fold;
}
