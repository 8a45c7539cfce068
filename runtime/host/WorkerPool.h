//===- WorkerPool.h - Threads that are kept between runs ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/host/Error.h"
#include "runtime/host/EventCount.h"

#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mkrt::host {

/// Runs a function on a number of workers. Worker 0 is the calling thread; the
/// others are threads that start at the first use and sleep between runs.
class WorkerPool {
public:
  ~WorkerPool() { stop(); }

  /// Makes the pool have `workers` workers. A change joins the old threads.
  Error resize(unsigned workers);
  /// Calls `body(worker)` on every worker and returns when all have returned,
  /// whatever they throw; then the first exception goes on to the caller.
  void run(const std::function<void(unsigned)> &body);

private:
  void stop();
  void call(unsigned worker) noexcept;
  void threadMain(unsigned worker, uint32_t seen);

  std::vector<std::thread> threads_;
  const std::function<void(unsigned)> *body_ = nullptr; ///< Null: end.
  std::atomic<uint32_t> job_{0};
  std::atomic<uint32_t> running_{0};
  std::mutex failureMutex_;
  std::exception_ptr failure_;
  EventCount started_, finished_;
};

} // namespace mkrt::host
