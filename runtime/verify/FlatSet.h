//===- FlatSet.h - A set of 64-bit numbers --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mkrt::verify {

/// Open addressing: one cache miss per insertion. Holds no UINT64_MAX.
class FlatSet {
public:
  /// False if the number was there.
  bool insert(uint64_t value) {
    if (2 * (count_ + 1) > slots_.size())
      grow();
    if (!place(value))
      return false;
    ++count_;
    return true;
  }

private:
  static constexpr uint64_t kEmpty = UINT64_MAX;

  bool place(uint64_t value) {
    size_t mask = slots_.size() - 1;
    uint64_t hash = value * 0x9e3779b97f4a7c15;
    for (size_t i = (hash ^ hash >> 32) & mask;; i = (i + 1) & mask) {
      if (slots_[i] == value)
        return false;
      if (slots_[i] == kEmpty) {
        slots_[i] = value;
        return true;
      }
    }
  }
  void grow() {
    std::vector<uint64_t> old(slots_.empty() ? 1024 : 2 * slots_.size(),
                              kEmpty);
    old.swap(slots_);
    for (uint64_t value : old)
      if (value != kEmpty)
        place(value);
  }

  std::vector<uint64_t> slots_;
  size_t count_ = 0;
};

} // namespace mkrt::verify
