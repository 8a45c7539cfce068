//===- WorkerPool.cpp - Threads that are kept between runs ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/WorkerPool.h"

#include "runtime/host/Cpu.h"

#include <system_error>
#include <utility>

using namespace mkrt::host;

/// Spins briefly, because runs often follow each other closely, then sleeps.
template <typename Condition>
static void await(EventCount &event, Condition condition) {
  constexpr int kSpins = 2000;
  for (int i = 0; i < kSpins; ++i) {
    if (condition())
      return;
    spinPause();
  }
  for (;;) {
    EventCount::Key key = event.prepare();
    if (condition()) {
      event.cancel();
      return;
    }
    event.wait(key, std::chrono::hours(1));
  }
}

Error WorkerPool::resize(unsigned workers) {
  if (threads_.size() + 1 == workers)
    return {};
  stop();
  threads_.reserve(workers - 1);
  uint32_t job = job_.load();
  for (unsigned worker = 1; worker < workers; ++worker) {
    try {
      threads_.emplace_back([=, this] { threadMain(worker, job); });
    } catch (const std::system_error &error) {
      stop();
      return {ErrorCode::System,
              "cannot start thread " + std::to_string(worker) + " of " +
                  std::to_string(workers) + ": " + error.what()};
    }
  }
  return {};
}

void WorkerPool::run(const std::function<void(unsigned)> &body) {
  body_ = &body;
  running_.store(uint32_t(threads_.size()));
  job_.fetch_add(1);
  started_.notify();
  call(0);
  await(finished_, [&] { return running_.load() == 0; });
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

void WorkerPool::call(unsigned worker) noexcept {
  try {
    (*body_)(worker);
  } catch (...) {
    std::lock_guard lock(failureMutex_);
    if (!failure_)
      failure_ = std::current_exception();
  }
}

void WorkerPool::stop() {
  body_ = nullptr;
  job_.fetch_add(1);
  started_.notify();
  for (std::thread &thread : threads_)
    thread.join();
  threads_.clear();
}

void WorkerPool::threadMain(unsigned worker, uint32_t seen) {
  for (;;) {
    await(started_, [&] { return job_.load() != seen; });
    seen = job_.load();
    if (!body_)
      return;
    call(worker);
    if (running_.fetch_sub(1) == 1)
      finished_.notify();
  }
}
