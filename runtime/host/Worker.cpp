//===- Worker.cpp - One thread of a run -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Worker.h"

#include "runtime/host/Cpu.h"

using namespace mkrt::host;
using namespace mkrt::format;

/// Sweeps without work before a worker sleeps: some tens of microseconds.
static constexpr int kSpinSweeps = 200;
/// Looks at the progress per stall limit.
static constexpr unsigned kTicksPerLimit = 8;

Worker::Worker(RunState &run, unsigned index)
    : run_(run), index_(index), self_(run.workers[index]),
      firstQueue_(index * run.queues.size() / run.workers.size()) {}

void Worker::work() {
  clearShareOfNextBank();
  int idle = 0;
  while (!over()) {
    if (sweep()) {
      idle = 0;
    } else if (run_.workers.size() == 1) {
      // Nobody else can signal. `over` again: the sweep may have ended the run.
      if (!over())
        run_.abort(stallError(run_));
    } else if (++idle < kSpinSweeps) {
      spinPause();
    } else {
      sleep();
    }
  }
}

bool Worker::over() const {
  return run_.unfinishedQueues.load(std::memory_order_seq_cst) == 0 ||
         run_.aborted.load(std::memory_order_seq_cst);
}

void Worker::clearShareOfNextBank() {
  size_t count = run_.nextBank.size(), workers = run_.workers.size();
  size_t begin = count * index_ / workers;
  size_t end = count * (index_ + 1) / workers;
  for (Counter &counter : run_.nextBank.subspan(begin, end - begin))
    counter.store(0, std::memory_order_relaxed);
}

/// True if any record has run.
bool Worker::sweep() {
  size_t count = run_.queues.size();
  for (size_t i = 0; i < count; ++i) {
    size_t q =
        firstQueue_ + i < count ? firstQueue_ + i : firstQueue_ + i - count;
    if (runQueue(run_.queues[q])) {
      firstQueue_ = q + 1 < count ? q + 1 : 0;
      return true;
    }
  }
  return false;
}

/// Runs records until the head is not ready. False if none has run.
bool Worker::runQueue(QueueHead &queue) {
  if (queue.next.load(std::memory_order_relaxed) == queue.end ||
      queue.owned.load(std::memory_order_relaxed) ||
      queue.owned.exchange(true, std::memory_order_acquire))
    return false;
  const uint32_t begin = queue.next.load(std::memory_order_relaxed);
  uint32_t at = begin;
  while (at != queue.end && !run_.aborted.load(std::memory_order_relaxed)) {
    uint32_t record = run_.fold->records[at];
    if (headState(record) != Head::Ready || !runRecord(record))
      break;
    queue.next.store(++at, std::memory_order_relaxed);
  }
  bool finished = at == queue.end && at != begin;
  queue.owned.store(false, std::memory_order_release);
  if (finished && run_.unfinishedQueues.fetch_sub(1) == 1)
    run_.events.notify();
  return at != begin;
}

/// Loads are sequentially consistent, so acquire at least, because a sleeping
/// worker relies on their order (EventCount).
Worker::Head Worker::headState(uint32_t record) const {
  const Record &r = run_.program->view().records()[record];
  for (unsigned i = 0; i < r.waitCount; ++i) {
    const Wait &wait = r.waits[i];
    uint32_t seen = run_.counters[wait.counter].load(std::memory_order_seq_cst);
    if (seen < wait.target)
      return Head::Waiting;
    if (seen > wait.target) {
      run_.abort({ErrorCode::Schedule,
                  describeRecord(*run_.program, record) + ": counter " +
                      std::to_string(wait.counter) + " has " +
                      std::to_string(seen) + " signals, more than the " +
                      std::to_string(wait.target) + " waited for"});
      return Head::Broken;
    }
  }
  return Head::Ready;
}

bool Worker::runRecord(uint32_t record) {
  if (run_.profile ? !runTilesTimed(record) : !runTiles(record))
    return false;
  return signal(run_.program->view().records()[record]);
}

bool Worker::runTilesTimed(uint32_t record) {
  Profile::Clock::time_point begin = Profile::Clock::now();
  bool done = runTiles(record);
  run_.profile->add(index_, {record, begin, Profile::Clock::now()});
  return done;
}

/// Kernels come from a loaded object without the type information that the
/// sanitizer of indirect calls looks for.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
bool Worker::runTiles(uint32_t record) {
  const Record &r = run_.program->view().records()[record];
  ParameterSlot parameter(r.parameter);
  uint64_t extent = UINT64_MAX;
  if (parameter.kind() != ParameterSlot::Kind::None) {
    int64_t value = run_.parameters[parameter.slot()];
    if (parameter.kind() == ParameterSlot::Kind::Extent)
      extent = value > 0 ? uint64_t(value) : 0;
    else if (value == 0)
      extent = 0;
  }
  HostKernel kernel = run_.program->kernel(r.kernel);
  const uint64_t *operands = run_.operands + run_.operandStart[record];
  uint64_t tile = r.tileStart;
  for (uint32_t i = 0; i < r.tileCount && tile < extent;
       ++i, tile += r.tileStride) {
    kernel(operands, tile, &self_.env);
    if (self_.env.indexFault) {
      reportIndexFault(record, tile);
      return false;
    }
    self_.progress.fetch_add(1, std::memory_order_relaxed);
  }
  return true;
}

void Worker::reportIndexFault(uint32_t record, uint64_t tile) {
  run_.abort({ErrorCode::IndexFault,
              "node '" + std::string(run_.program->dispatchName(record)) +
                  "', tile " + std::to_string(tile) + ": index " +
                  std::to_string(self_.env.faultIndex) +
                  " is out of bounds for size " +
                  std::to_string(self_.env.faultBound)});
}

/// Release: the record's writes are seen by whoever sees the signal.
bool Worker::signal(const Record &record) {
  bool wakes = false;
  for (unsigned i = 0; i < record.signalCount; ++i) {
    const Signal &s = record.signals[i];
    uint32_t sum = s.amount + run_.counters[s.counter].fetch_add(
                                  s.amount, std::memory_order_seq_cst);
    wakes |= sum >= run_.program->leastTarget(s.counter);
  }
  self_.progress.fetch_add(1, std::memory_order_relaxed);
  if (wakes)
    run_.events.notify();
  return true;
}

//===----------------------------------------------------------------------===//
// Sleeping and the watchdog
//===----------------------------------------------------------------------===//

void Worker::sleep() {
  EventCount::Key key = run_.events.prepare();
  if (over() || sweep()) {
    run_.events.cancel();
    return;
  }
  watch(run_.events.wait(key, run_.stallLimit / kTicksPerLimit));
}

void Worker::watch(bool notified) {
  uint64_t progress = 0;
  for (const WorkerState &worker : run_.workers)
    progress += worker.progress.load(std::memory_order_relaxed);
  if (progress != progressSeen_) {
    progressSeen_ = progress;
    idleTicks_ = 0;
  } else if (!notified && ++idleTicks_ >= kTicksPerLimit && !over()) {
    run_.abort(stallError(run_));
  }
}
