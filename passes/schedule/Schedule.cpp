//===- Schedule.cpp - Dispatches to records, counters and queues ----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dispatches are placed in program order, tile by tile:
//  1. Producers of a tile are the earlier tiles that its accesses conflict
//     with.
//  2. The tile goes to the queue on which it would start first (list
//     scheduling with predicted costs).
//  3. Its record waits for counters of its producers. Each dispatch has one
//     counter for all its records and one for each of a few bands of them; a
//     wait for a band is taken where only some bands matter. Both are
//     bicliques: sound supersets of the true edges. Producers that the clock of
//     the record covers already (by queue order or through another wait) need
//     no wait.
//  4. More than four waits spill into empty records before it on the same
//     queue.
//
// Then counters that nobody waits for are dropped, and the arena is planned on
// the clocks that the records ended up with.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Schedule.h"
#include "passes/schedule/Clocks.h"
#include "passes/schedule/MemoryPlan.h"
#include "passes/schedule/TileAccesses.h"

#include <map>
#include <set>

using namespace mkc::schedule;
using namespace mkrt::format;

namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// Predicted cost of handing one record over, in the unit of Kernel::tileCost.
constexpr double kRecordCost = 1000;

struct Counter {
  uint32_t total = 0; ///< Number of signals, one per record.
  bool isUsed = false;
  Clock clock; ///< Joined clocks of all records that signal it.
};

/// A scheduled tile, or an empty record that only waits.
struct Task {
  uint32_t dispatch, tile;
  bool isEmpty = false;
  std::vector<uint32_t> waits;   ///< Counters.
  std::vector<uint32_t> signals; ///< Counters.
};

/// What later dispatches need to know of one that is placed.
struct PlacedDispatch {
  TileAccesses accesses;
  uint32_t allCounter = kNone;
  std::vector<uint32_t> bandCounters;
  std::vector<uint32_t> bandStarts; ///< First tile of each band, and the end.
  std::vector<std::vector<AccessHull>> bandHulls;
  double finish = 0;

  uint32_t bandCount() const { return uint32_t(bandStarts.size() - 1); }
  uint32_t bandOf(uint32_t tile) const {
    auto next = std::upper_bound(bandStarts.begin(), bandStarts.end(), tile);
    return uint32_t(next - bandStarts.begin() - 1);
  }
};

/// Dispatches that touch a buffer, in order.
struct BufferUsers {
  std::vector<uint32_t> readers, writers;
};

class Scheduler {
public:
  Scheduler(TaskGraph &graph, const Options &options)
      : graph(graph), options(options),
        queueTail(options.queues, Clock(options.queues)),
        queueTime(options.queues, 0), queues(options.queues),
        users(graph.buffers.size()) {
    for (size_t b = 0; b < graph.buffers.size(); ++b)
      uses.push_back(
          {Clock(options.queues), Clock(options.queues), UINT64_MAX});
  }

  std::string run(Schedule &out) {
    for (uint32_t d = 0; d < graph.dispatches.size(); ++d)
      if (std::string error = placeDispatch(d); !error.empty())
        return "dispatch " + std::to_string(d) + ": " + error;
    out.arenaBytes = planMemory(graph.buffers, uses);
    encode(out);
    return "";
  }

private:
  //--- Placing
  //------------------------------------------------------------------//

  std::string placeDispatch(uint32_t d) {
    PlacedDispatch &placed = placedDispatches.emplace_back();
    const Dispatch &dispatch = graph.dispatches[d];
    if (dispatch.operands.size() > UINT8_MAX)
      return std::to_string(dispatch.operands.size()) +
             " operands, a record holds at most " + std::to_string(UINT8_MAX);
    std::string error = placed.accesses.evaluate(graph, dispatch);
    if (!error.empty())
      return error;
    createCounters(placed);
    std::vector<uint32_t> producers = producersOf(placed);
    for (uint32_t t = 0; t < placed.accesses.tileCount(); ++t)
      placeTile(d, t, producers);
    noteUsers(d);
    return "";
  }

  void createCounters(PlacedDispatch &placed) {
    uint32_t tiles = placed.accesses.tileCount();
    placed.allCounter = newCounter();
    uint32_t bands = std::max(1u, std::min(options.bands, tiles));
    placed.bandStarts = {0};
    for (uint32_t b = 0; b < bands; ++b) {
      uint32_t first = placed.bandStarts.back();
      uint32_t end = uint32_t(uint64_t(b + 1) * tiles / bands);
      placed.bandStarts.push_back(end);
      placed.bandHulls.push_back(placed.accesses.hullsOf(first, end));
      if (bands > 1)
        placed.bandCounters.push_back(newCounter());
    }
  }

  void noteUsers(uint32_t d) {
    auto note = [d](std::vector<uint32_t> &list) {
      if (list.empty() || list.back() != d)
        list.push_back(d);
    };
    for (const std::vector<AccessHull> &band : placedDispatches[d].bandHulls)
      for (const AccessHull &hull : band)
        note(hull.isWrite ? users[hull.buffer].writers
                          : users[hull.buffer].readers);
  }

  uint32_t newCounter() {
    counters.push_back({0, false, Clock(options.queues)});
    return uint32_t(counters.size() - 1);
  }

  /// Earlier dispatches that write what this one touches or touch what it
  /// writes, latest first.
  std::vector<uint32_t> producersOf(const PlacedDispatch &placed) {
    std::set<uint32_t, std::greater<>> found;
    for (const std::vector<AccessHull> &band : placed.bandHulls)
      for (const AccessHull &hull : band) {
        const BufferUsers &others = users[hull.buffer];
        found.insert(others.writers.begin(), others.writers.end());
        if (hull.isWrite)
          found.insert(others.readers.begin(), others.readers.end());
      }
    return {found.begin(), found.end()};
  }

  bool conflicts(const PlacedDispatch &producer, uint32_t band,
                 const TileAccess &mine) const {
    // The hulls first: most bands of most producers are far away.
    bool near = false;
    for (const AccessHull &hull : producer.bandHulls[band])
      near = near || mayConflict(hull, mine);
    for (uint32_t s = producer.bandStarts[band];
         near && s < producer.bandStarts[band + 1]; ++s)
      for (const TileAccess &theirs : producer.accesses.tile(s))
        if (mayConflict(theirs, mine))
          return true;
    return false;
  }

  /// Bands of dispatch p that tile t of d conflicts with.
  std::vector<bool> conflictingBands(uint32_t p, uint32_t d, uint32_t t) const {
    const PlacedDispatch &producer = placedDispatches[p];
    std::vector<bool> bands(producer.bandCount());
    for (uint32_t b = 0; b < bands.size(); ++b)
      for (const TileAccess &mine : placedDispatches[d].accesses.tile(t))
        bands[b] = bands[b] || conflicts(producer, b, mine);
    return bands;
  }

  /// Counters to wait for, of the producers that conflict, latest first.
  struct Need {
    uint32_t producer;
    std::vector<uint32_t> counters;
  };

  std::vector<Need> needsOf(uint32_t d, uint32_t t,
                            std::span<const uint32_t> producers) {
    std::vector<Need> needs;
    Clock known(options.queues);
    for (uint32_t p : producers) {
      const PlacedDispatch &producer = placedDispatches[p];
      // What later producers are ordered after needs neither a look nor a wait,
      // so a chain through one buffer costs a step per tile, not its length.
      if (known.covers(counters[producer.allCounter].clock))
        continue;
      std::vector<bool> bands = conflictingBands(p, d, t);
      size_t count = std::count(bands.begin(), bands.end(), true);
      if (count == 0)
        continue;
      Need need{p, {}};
      // Most of the bands cost more waits than the whole is worth.
      if (producer.bandCounters.empty() || 2 * count > bands.size())
        need.counters = {producer.allCounter};
      else
        for (size_t b = 0; b < bands.size(); ++b)
          if (bands[b])
            need.counters.push_back(producer.bandCounters[b]);
      for (uint32_t c : need.counters)
        known.join(counters[c].clock);
      needs.push_back(std::move(need));
    }
    return needs;
  }

  uint32_t chooseQueue(double ready) const {
    uint32_t best = 0;
    for (uint32_t q = 1; q < options.queues; ++q)
      if (std::max(queueTime[q], ready) < std::max(queueTime[best], ready))
        best = q;
    return best;
  }

  void placeTile(uint32_t d, uint32_t t, std::span<const uint32_t> producers) {
    std::vector<Need> needs = needsOf(d, t, producers);
    double ready = 0;
    for (const Need &need : needs)
      ready = std::max(ready, placedDispatches[need.producer].finish);
    uint32_t q = chooseQueue(ready);
    Clock clock = queueTail[q];
    std::vector<uint32_t> waits;
    for (const Need &need : needs)
      for (uint32_t c : need.counters) {
        if (clock.covers(counters[c].clock))
          continue;
        clock.join(counters[c].clock);
        counters[c].isUsed = true;
        waits.push_back(c);
      }
    append(q, clock, {d, t, false, std::move(waits), {}});
    PlacedDispatch &placed = placedDispatches[d];
    double cost = graph.kernels[graph.dispatches[d].kernel].tileCost;
    queueTime[q] = std::max(queueTime[q], ready) + cost + kRecordCost;
    placed.finish = std::max(placed.finish, queueTime[q]);
    noteUses(d, queueTail[q], clock);
  }

  /// Adds a task to queue q; its waits beyond four go to empty records before
  /// it.
  void append(uint32_t q, Clock clock, Task task) {
    while (task.waits.size() > kMaxWaits) {
      Task extra{task.dispatch, task.tile, true, {}, {}};
      extra.waits.assign(task.waits.end() - kMaxWaits, task.waits.end());
      task.waits.resize(task.waits.size() - kMaxWaits);
      push(q, std::move(extra));
    }
    PlacedDispatch &placed = placedDispatches[task.dispatch];
    task.signals.push_back(placed.allCounter);
    if (!placed.bandCounters.empty())
      task.signals.push_back(placed.bandCounters[placed.bandOf(task.tile)]);
    std::vector<uint32_t> signals = task.signals;
    push(q, std::move(task));
    clock.set(q, uint32_t(queues[q].size()));
    for (uint32_t c : signals) {
      ++counters[c].total;
      counters[c].clock.join(clock);
    }
    queueTail[q] = clock;
  }

  void push(uint32_t q, Task task) {
    queues[q].push_back(uint32_t(tasks.size()));
    tasks.push_back(std::move(task));
  }

  /// `done` includes the record itself, `before` only what precedes it.
  void noteUses(uint32_t d, const Clock &done, const Clock &before) {
    for (const Operand &operand : graph.dispatches[d].operands) {
      BufferUse &use = uses[operand.buffer];
      if (use.firstRecord == UINT64_MAX) {
        use.firstRecord = tasks.size();
        use.first = before;
      } else {
        use.first.meet(before);
      }
      // Only the record's own position counts: what precedes it is not a use.
      use.last.join(ownPosition(done));
    }
  }

  Clock ownPosition(const Clock &done) {
    // The task was pushed last.
    for (uint32_t q = 0; q < options.queues; ++q)
      if (!queues[q].empty() && queues[q].back() + 1 == tasks.size()) {
        Clock own(options.queues);
        own.set(q, done[q]);
        return own;
      }
    return done;
  }

  //--- Encoding
  //-----------------------------------------------------------------//

  uint32_t operandTableIndex(const Dispatch &dispatch, Schedule &out,
                             uint32_t d) {
    auto [entry, isNew] = tableOf.try_emplace(d, out.operandTable.size());
    if (isNew)
      for (size_t i = kInlineOperands - 1; i < dispatch.operands.size(); ++i)
        out.operandTable.push_back(reference(dispatch.operands[i]));
    return entry->second;
  }

  uint64_t reference(const Operand &operand) const {
    const Buffer &buffer = graph.buffers[operand.buffer];
    return OperandRef(buffer.space, buffer.index,
                      buffer.offset + operand.offset)
        .bits();
  }

  Record encodeTask(uint32_t number, const std::vector<uint32_t> &newNumber,
                    Schedule &out) {
    const Task &task = tasks[number];
    const Dispatch &dispatch = graph.dispatches[task.dispatch];
    Record record{};
    record.opcode = Opcode::Run;
    record.kernel = dispatch.kernel;
    record.tileStart = task.tile;
    record.tileCount = task.isEmpty ? 0 : 1;
    record.tileStride = 1;
    record.rank = number;
    record.operandCount = uint8_t(dispatch.operands.size());
    for (size_t i = 0; i < dispatch.operands.size() && i < kInlineOperands; ++i)
      record.operands[i] = reference(dispatch.operands[i]);
    if (dispatch.operands.size() > kInlineOperands)
      record.operands[kInlineOperands - 1] =
          operandTableIndex(dispatch, out, task.dispatch);
    for (uint32_t c : task.waits)
      record.waits[record.waitCount++] = {newNumber[c], counters[c].total};
    for (uint32_t c : task.signals)
      if (counters[c].isUsed)
        record.signals[record.signalCount++] = {newNumber[c], 1};
    return record;
  }

  void encode(Schedule &out) {
    std::vector<uint32_t> newNumber(counters.size(), kNone);
    for (uint32_t c = 0; c < counters.size(); ++c)
      if (counters[c].isUsed)
        newNumber[c] = out.counterCount++;
    out.queueStarts = {0};
    for (const std::vector<uint32_t> &queue : queues) {
      for (uint32_t number : queue) {
        out.records.push_back(encodeTask(number, newNumber, out));
        out.recordDispatch.push_back(tasks[number].dispatch);
      }
      out.queueStarts.push_back(uint32_t(out.records.size()));
    }
  }

  TaskGraph &graph;
  const Options &options;
  std::vector<Clock> queueTail;
  std::vector<double> queueTime;
  std::vector<std::vector<uint32_t>> queues; ///< Tasks by number.
  std::vector<Task> tasks;                   ///< In program order: the rank.
  std::vector<Counter> counters;
  std::vector<PlacedDispatch> placedDispatches;
  std::vector<BufferUse> uses;
  std::vector<BufferUsers> users; ///< Per buffer.
  std::map<uint32_t, uint32_t> tableOf;
};

} // namespace

std::string mkc::schedule::buildSchedule(TaskGraph &graph,
                                         const Options &options,
                                         Schedule &out) {
  return Scheduler(graph, options).run(out);
}
