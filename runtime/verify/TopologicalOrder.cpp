//===- TopologicalOrder.cpp - An order of all records ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/TopologicalOrder.h"

#include <algorithm>

using namespace mkrt;
using namespace mkrt::verify;
using namespace mkrt::format;

static std::span<const Wait> waitsOf(const Record &record) {
  return {record.waits, record.waitCount};
}

static std::span<const Signal> signalsOf(const Record &record) {
  return {record.signals, record.signalCount};
}

namespace {
/// Counters are nodes of the graph: a counter with P signallers and C waiters
/// costs P + C edges, not P * C.
class Orderer {
public:
  Orderer(const PackageView &view, std::vector<uint32_t> &order)
      : view_(view), records_(view.records()), order_(order) {}
  Problem run();

private:
  Problem checkTotals();
  void collectWaiters();
  void advance();
  void release(uint32_t counter, uint32_t fromQueue);
  bool headIsReady(uint32_t queue) const;
  Problem deadlock() const;
  Problem checkRanks() const;

  const PackageView &view_;
  std::span<const Record> records_;
  std::vector<uint32_t> &order_;

  std::vector<uint32_t> pendingSignals_; ///< Per counter, of positive amount.
  std::vector<uint32_t> unmetWaits_;     ///< Per record.
  std::vector<uint32_t> waiterStart_, waiters_; ///< Records by counter.
  std::vector<uint32_t> queueOf_;               ///< Per record.
  std::vector<uint32_t> head_; ///< Per queue: the first record not yet ordered.
  std::vector<uint32_t> ready_; ///< Queues whose head may be ordered.
};
} // namespace

Problem Orderer::run() {
  if (Problem problem = checkTotals())
    return problem;
  collectWaiters();
  advance();
  if (order_.size() != records_.size())
    return deadlock();
  return checkRanks();
}

Problem Orderer::checkTotals() {
  uint32_t counters = view_.program().counterCount;
  std::vector<uint64_t> total(counters);
  pendingSignals_.assign(counters, 0);
  for (const Record &record : records_)
    for (const Signal &signal : signalsOf(record)) {
      total[signal.counter] += signal.amount; // 2^33 numbers of 32 bits fit.
      pendingSignals_[signal.counter] += signal.amount != 0;
    }
  for (uint32_t c = 0; c < counters; ++c)
    if (total[c] > UINT32_MAX)
      return {Failure::Overflow, "the signals of counter " + std::to_string(c) +
                                     " add up to " + std::to_string(total[c]) +
                                     ", more than 32 bits hold"};
  for (uint32_t r = 0; r < records_.size(); ++r)
    for (const Wait &wait : waitsOf(records_[r]))
      if (wait.target != total[wait.counter])
        return {wait.target > total[wait.counter] ? Failure::Starved
                                                  : Failure::Oversignalled,
                recordText(view_, r) + " waits for counter " +
                    std::to_string(wait.counter) + " to reach " +
                    std::to_string(wait.target) +
                    ", but all its signals add up to " +
                    std::to_string(total[wait.counter])};
  return {};
}

void Orderer::collectWaiters() {
  std::span<const uint32_t> starts = view_.queueStarts();
  queueOf_.resize(records_.size());
  for (uint32_t q = 0; q + 1 < starts.size(); ++q)
    std::fill(queueOf_.begin() + starts[q], queueOf_.begin() + starts[q + 1],
              q);
  head_.assign(starts.begin(), starts.end() - 1);

  waiterStart_.assign(pendingSignals_.size() + 1, 0);
  for (const Record &record : records_)
    for (const Wait &wait : waitsOf(record))
      ++waiterStart_[wait.counter + 1];
  for (size_t c = 1; c < waiterStart_.size(); ++c)
    waiterStart_[c] += waiterStart_[c - 1];
  waiters_.resize(waiterStart_.back());
  unmetWaits_.assign(records_.size(), 0);
  std::vector<uint32_t> at(waiterStart_.begin(), waiterStart_.end() - 1);
  for (uint32_t r = 0; r < records_.size(); ++r)
    for (const Wait &wait : waitsOf(records_[r])) {
      waiters_[at[wait.counter]++] = r;
      unmetWaits_[r] += pendingSignals_[wait.counter] != 0;
    }
}

bool Orderer::headIsReady(uint32_t queue) const {
  return head_[queue] < view_.queueStarts()[queue + 1] &&
         unmetWaits_[head_[queue]] == 0;
}

/// First in, first out, one record of a queue at a time.
void Orderer::advance() {
  order_.clear();
  order_.reserve(records_.size());
  for (uint32_t q = 0; q < head_.size(); ++q)
    if (headIsReady(q))
      ready_.push_back(q);
  for (size_t i = 0; i < ready_.size(); ++i) {
    uint32_t queue = ready_[i], record = head_[queue]++;
    order_.push_back(record);
    for (const Signal &signal : signalsOf(records_[record]))
      if (signal.amount != 0 && --pendingSignals_[signal.counter] == 0)
        release(signal.counter, queue);
    if (headIsReady(queue))
      ready_.push_back(queue);
  }
}

/// The counter is full. `fromQueue` looks after its own head.
void Orderer::release(uint32_t counter, uint32_t fromQueue) {
  for (uint32_t i = waiterStart_[counter]; i < waiterStart_[counter + 1]; ++i) {
    uint32_t waiter = waiters_[i], queue = queueOf_[waiter];
    if (--unmetWaits_[waiter] == 0 && queue != fromQueue &&
        head_[queue] == waiter)
      ready_.push_back(queue);
  }
}

/// Each blocked head waits for a counter that a record at or behind another
/// blocked head must still signal. Following these from any queue ends in a
/// cycle.
Problem Orderer::deadlock() const {
  std::vector<uint32_t> signaller(pendingSignals_.size());
  std::vector<bool> ordered(records_.size());
  for (uint32_t r : order_)
    ordered[r] = true;
  for (uint32_t r = 0; r < records_.size(); ++r)
    if (!ordered[r])
      for (const Signal &signal : signalsOf(records_[r]))
        if (signal.amount != 0)
          signaller[signal.counter] = r;
  auto blockingCounter = [&](uint32_t queue) {
    for (const Wait &wait : waitsOf(records_[head_[queue]]))
      if (pendingSignals_[wait.counter])
        return wait.counter;
    return UINT32_MAX; // Not reached: a blocked head has such a wait.
  };
  auto next = [&](uint32_t queue) {
    return queueOf_[signaller[blockingCounter(queue)]];
  };

  uint32_t queue = 0;
  while (head_[queue] == view_.queueStarts()[queue + 1])
    ++queue;
  std::vector<bool> seen(head_.size());
  for (; !seen[queue]; queue = next(queue))
    seen[queue] = true;

  constexpr unsigned kMostLinks = 12;
  std::string text = "the schedule has a cycle";
  uint32_t at = queue;
  unsigned links = 0;
  do {
    uint32_t counter = blockingCounter(at), behind = signaller[counter];
    text += links++ ? "; " : ": ";
    text += recordText(view_, head_[at]) + " waits for counter " +
            std::to_string(counter) + ", which " + recordText(view_, behind) +
            " signals";
    at = queueOf_[behind];
    if (head_[at] != behind)
      text += ", behind record " + std::to_string(head_[at]) + " in its queue";
  } while (at != queue && links < kMostLinks);
  if (at != queue)
    text += "; and so on";
  return {Failure::Deadlock, text};
}

Problem Orderer::checkRanks() const {
  for (uint32_t r = 1; r < records_.size(); ++r)
    if (queueOf_[r] == queueOf_[r - 1] &&
        records_[r].rank < records_[r - 1].rank)
      return {Failure::Rank, recordText(view_, r) + " has rank " +
                                 std::to_string(records_[r].rank) +
                                 ", less than " +
                                 std::to_string(records_[r - 1].rank) +
                                 " of the record before it in its queue"};
  std::vector<uint32_t> latest(pendingSignals_.size(), UINT32_MAX);
  for (uint32_t r = 0; r < records_.size(); ++r)
    for (const Signal &signal : signalsOf(records_[r])) {
      uint32_t &last = latest[signal.counter];
      if (signal.amount != 0 &&
          (last == UINT32_MAX || records_[last].rank < records_[r].rank))
        last = r;
    }
  for (uint32_t r = 0; r < records_.size(); ++r)
    for (const Wait &wait : waitsOf(records_[r])) {
      uint32_t last = latest[wait.counter];
      if (last != UINT32_MAX && records_[last].rank >= records_[r].rank)
        return {Failure::Rank,
                recordText(view_, r) + " has rank " +
                    std::to_string(records_[r].rank) +
                    " and waits for counter " + std::to_string(wait.counter) +
                    ", which " + recordText(view_, last) + " of rank " +
                    std::to_string(records_[last].rank) + " signals"};
    }
  return {};
}

Problem mkrt::verify::orderRecords(const PackageView &view,
                                   std::vector<uint32_t> &order) {
  return Orderer(view, order).run();
}
