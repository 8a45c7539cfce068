//===- OwnOperands.h - Operands of one record on the same bytes -----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/verify/Footprints.h"

#include <unordered_set>

namespace mkrt::verify {

/// Looks for bytes that a record writes through one operand and touches through
/// another one. No clock can order those: a kernel reads and writes in an order
/// of its own. What it does with the bytes of a single operand it knows itself.
///
/// Operands whose hulls are apart cost one comparison. Others are compared box
/// by box, once per footprint, pair of operands and distance of their
/// addresses.
class OwnOperands {
public:
  OwnOperands(const format::PackageView &view, const BoxTable &boxes,
              const Footprints &footprints, Effort &effort)
      : view_(view), boxes_(boxes), footprints_(footprints), effort_(effort),
        hulls_(footprints.size()) {}

  Problem check(uint32_t record);

private:
  /// What a footprint touches through one operand, relative to it.
  struct Hull {
    unsigned operand;
    int64_t begin, end;
    bool write;
    std::span<const FootprintTouch> touches;
  };
  struct Key {
    uint32_t footprint;
    unsigned a, b;
    int64_t distance;
    bool operator==(const Key &) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key &key) const;
  };
  std::span<const Hull> hullsOf(uint32_t record);
  Problem checkPair(uint32_t record, const Hull &a, const Hull &b);
  std::optional<int64_t> sharedByte(const Hull &a, int64_t baseA, const Hull &b,
                                    int64_t baseB);

  const format::PackageView &view_;
  const BoxTable &boxes_;
  const Footprints &footprints_;
  Effort &effort_;
  std::vector<std::vector<Hull>> hulls_; ///< By footprint, once asked for.
  std::unordered_set<Key, KeyHash> apart_;
};

} // namespace mkrt::verify
