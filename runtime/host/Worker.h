//===- Worker.h - One thread of a run -------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/host/RunState.h"

namespace mkrt::host {

/// Takes part in a run until all records have run or the run is aborted.
///
/// A worker sweeps over the virtual queues, takes each whose head is ready, and
/// runs it until its head is not ready. After a number of sweeps without work
/// it sleeps. No wake-up is lost: who finds a head not ready sweeps again, with
/// its sleep announced, after it has released the queue; that sweep either sees
/// the missing signal or is seen by the signaller.
///
/// Watchdog: a sleeping worker wakes a few times per stall limit; if in all of
/// them no worker has finished anything, it aborts the run. Wake-ups are
/// counted instead of trusting the clock, so a machine that was suspended is no
/// stall.
class Worker {
public:
  Worker(RunState &run, unsigned index);
  void work();

private:
  /// What the head of a queue allows.
  enum class Head { Ready, Waiting, Broken };

  void clearShareOfNextBank();
  bool sweep();
  bool runQueue(QueueHead &queue);
  Head headState(uint32_t record) const;
  bool runRecord(uint32_t record);
  bool runTiles(uint32_t record);
  bool runTilesTimed(uint32_t record);
  bool signal(const format::Record &record);
  void sleep();
  void watch(bool notified);
  bool over() const;
  void reportIndexFault(uint32_t record, uint64_t tile);

  RunState &run_;
  const unsigned index_;
  WorkerState &self_;
  size_t firstQueue_; ///< Where the next sweep starts.
  uint64_t progressSeen_ = 0;
  unsigned idleTicks_ = 0;
};

} // namespace mkrt::host
