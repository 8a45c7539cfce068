//===- Fold.h - Fewer queues than the package has -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"

#include <span>
#include <vector>

namespace mkrt::host {

/// The records of each virtual queue, in rank order. Queue q of the package
/// goes to virtual queue q mod count; merging on rank only adds order edges
/// that agree with one topological order, so a proof for the package's queues
/// holds here.
struct Fold {
  std::vector<uint32_t> records;
  std::vector<uint32_t>
      starts; ///< Virtual queue v: [starts[v], starts[v + 1]).

  unsigned queueCount() const { return unsigned(starts.size()) - 1; }
};

/// The record at each rank.
std::vector<uint32_t> recordsByRank(const format::PackageView &view);

/// Folds the queues of a checked package onto `count` (at least 1) virtual
/// ones. `recordOfRank` is what `recordsByRank` returns. Takes time and memory
/// in proportion to the records and `count`.
Fold foldQueues(const format::PackageView &view,
                std::span<const uint32_t> recordOfRank, unsigned count);

} // namespace mkrt::host
