//===- RunState.h - What the workers of one run share ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/HostAbi.h"
#include "runtime/host/EventCount.h"
#include "runtime/host/Profile.h"
#include "runtime/host/Program.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace mkrt::host {

using Counter = std::atomic<uint32_t>;

/// The head of a virtual queue. Whoever holds `owned` runs its records.
struct alignas(64) QueueHead {
  std::atomic<bool> owned{false};
  std::atomic<uint32_t> next{0}; ///< Index in Fold::records.
  uint32_t end = 0;
};

/// What a worker keeps for itself, on lines of its own.
struct alignas(64) WorkerState {
  format::HostEnv env{};
  std::atomic<uint64_t> progress{0}; ///< Tiles and records finished.
};

/// Everything that the workers of one run share. The context prepares it and
/// reads the error afterwards.
struct RunState {
  const Program *program = nullptr;
  const Fold *fold = nullptr;
  const uint64_t *operands = nullptr; ///< Absolute, of all records.
  const uint64_t *operandStart = nullptr;
  std::span<const int64_t> parameters;
  std::span<Counter> counters; ///< This run's bank.
  std::span<Counter> nextBank; ///< Cleared by the workers meanwhile.
  std::span<QueueHead> queues;
  std::span<WorkerState> workers;
  std::chrono::nanoseconds stallLimit{};
  Profile *profile = nullptr; ///< Where wanted.

  std::atomic<uint32_t> unfinishedQueues{0};
  std::atomic<bool> aborted{false};
  EventCount events;

  /// Ends the run; the first error is kept.
  void abort(Error error);
  /// Ends the run without an error of its own: the caller has one.
  void stop() noexcept;
  /// Call when all workers have returned.
  Error takeError() { return std::move(error_); }

private:
  std::mutex errorMutex_;
  Error error_;
};

/// Texts that name a record by queue, position, rank and node.
std::string describeRecord(const Program &program, uint32_t record);

/// The error of a run without progress: names the unfinished record of lowest
/// rank and what it waits for.
Error stallError(const RunState &run);

} // namespace mkrt::host
