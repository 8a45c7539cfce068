//===- EventCount.cpp - Sleeping until something changes ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/EventCount.h"

#include <cerrno>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace mkrt::host;

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) &&
              std::atomic<uint32_t>::is_always_lock_free);

bool EventCount::wait(Key key, std::chrono::nanoseconds timeout) {
  auto deadline = std::chrono::steady_clock::now() + timeout;
  bool notified;
  for (;;) {
    notified = epoch_.load(std::memory_order_seq_cst) != key;
    auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
        deadline - std::chrono::steady_clock::now());
    if (notified || left.count() <= 0)
      break;
    timespec relative{time_t(left.count() / 1000000000),
                      long(left.count() % 1000000000)};
    syscall(SYS_futex, &epoch_, FUTEX_WAIT_PRIVATE, key, &relative, nullptr, 0);
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  return notified;
}

void EventCount::wake() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &epoch_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}
