//===- EventCount.h - Sleeping until something changes --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace mkrt::host {

/// Lets threads sleep until some condition over sequentially consistent atomics
/// changes, without a lock and without lost wake-ups:
///
///     sleeper: key = prepare();
///              if (condition) cancel(); else wait(key, timeout);
///     changer: change the condition (seq_cst);
///              notify();
///
/// Either the sleeper's check sees the change, or the changer's notify sees the
/// sleeper: both sides write before they read, in one total order. A notify
/// without sleepers is one load.
class EventCount {
public:
  using Key = uint32_t;

  Key prepare() {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    return epoch_.load(std::memory_order_seq_cst);
  }
  void cancel() { sleepers_.fetch_sub(1, std::memory_order_relaxed); }

  /// Sleeps until a notify after `prepare` or until the time is over; false in
  /// the latter case.
  bool wait(Key key, std::chrono::nanoseconds timeout);
  /// Wakes every sleeper.
  void notify() {
    if (sleepers_.load(std::memory_order_seq_cst))
      wake();
  }

private:
  void wake();
  std::atomic<uint32_t> epoch_{0};
  std::atomic<uint32_t> sleepers_{0};
};

} // namespace mkrt::host
