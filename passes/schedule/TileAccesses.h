//===- TileAccesses.h - Which tiles depend on which -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/schedule/Schedule.h"

namespace mkc::schedule {

/// One evaluated access of one tile, in bytes of its buffer.
struct TileAccess {
  uint32_t buffer;
  bool isWrite;
  mkrt::format::ByteBox box;
  int64_t begin, end; ///< Hull.
};

/// Bytes [begin, end) of a buffer that hold all writes, or all reads, of some
/// tiles.
struct AccessHull {
  uint32_t buffer;
  bool isWrite;
  int64_t begin, end;
};

/// All accesses of all tiles of a dispatch; reads of weights are left out.
class TileAccesses {
public:
  /// Returns an error text, or an empty string.
  std::string evaluate(const TaskGraph &graph, const Dispatch &dispatch);

  std::span<const TileAccess> tile(uint32_t t) const {
    return {accesses.data() + starts[t], starts[t + 1] - starts[t]};
  }
  uint32_t tileCount() const { return uint32_t(starts.size() - 1); }

  /// One hull per buffer and direction of tiles [first, end).
  std::vector<AccessHull> hullsOf(uint32_t first, uint32_t end) const;

private:
  std::vector<TileAccess> accesses;
  std::vector<size_t> starts;
};

/// True if the accesses conflict: they may share a byte that one of them
/// writes. Errs on the side of true, which costs time but is safe.
bool mayConflict(const TileAccess &a, const TileAccess &b);
bool mayConflict(const AccessHull &a, const TileAccess &b);

} // namespace mkc::schedule
