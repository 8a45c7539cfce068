//===- RunState.cpp - What the workers of one run share -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/RunState.h"

using namespace mkrt::host;
using namespace mkrt::format;

void RunState::abort(Error error) {
  {
    std::lock_guard lock(errorMutex_);
    if (!error_)
      error_ = std::move(error);
  }
  stop();
}

void RunState::stop() noexcept {
  aborted.store(true, std::memory_order_seq_cst);
  events.notify();
}

std::string mkrt::host::describeRecord(const Program &program,
                                       uint32_t record) {
  const PackageView &view = program.view();
  uint32_t queue = view.queueOf(record);
  return "queue " + std::to_string(queue) + ", position " +
         std::to_string(record - view.queueStarts()[queue]) + ", rank " +
         std::to_string(view.records()[record].rank) + ", node '" +
         std::string(program.dispatchName(record)) + "'";
}

static std::string seconds(std::chrono::nanoseconds time) {
  std::string text =
      std::to_string(std::chrono::duration<double>(time).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.'))
    text.pop_back();
  return text + " s";
}

Error mkrt::host::stallError(const RunState &run) {
  const PackageView &view = run.program->view();
  const uint32_t none = UINT32_MAX;
  uint32_t lowest = none;
  for (const QueueHead &queue : run.queues) {
    uint32_t at = queue.next.load(std::memory_order_relaxed);
    if (at == queue.end)
      continue;
    uint32_t record = run.fold->records[at];
    if (lowest == none ||
        view.records()[record].rank < view.records()[lowest].rank)
      lowest = record;
  }
  std::string text =
      run.workers.size() == 1
          ? std::string("the run is stalled: the only worker cannot go on")
          : "the run is stalled: no progress for " + seconds(run.stallLimit);
  if (lowest == none)
    return {ErrorCode::Stalled, text};
  text += "; first " + describeRecord(*run.program, lowest);
  const Record &record = view.records()[lowest];
  for (const Wait &wait : std::span(record.waits, record.waitCount)) {
    uint32_t seen = run.counters[wait.counter].load();
    if (seen < wait.target)
      return {ErrorCode::Stalled, text + ": waits for counter " +
                                      std::to_string(wait.counter) + ", seen " +
                                      std::to_string(seen) + ", wanted " +
                                      std::to_string(wait.target)};
  }
  return {ErrorCode::Stalled, text + ": its kernel has not returned"};
}
