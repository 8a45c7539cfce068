//===- TeamReduction.cpp - Reductions by teams of threads -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/TeamReduction.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::cuda;

//===----------------------------------------------------------------------===//
// Dividing the loops
//===----------------------------------------------------------------------===//

constexpr int64_t kWarpThreads = 32;

/// Sum of the strides of `loop`, none counted for more than a warp is wide: 0
/// for a broadcast, 1 for neighbouring elements.
static int64_t strideCost(ArrayRef<LinearAccess> accesses, unsigned loop) {
  int64_t cost = 0;
  for (const LinearAccess &access : accesses)
    cost += std::min<int64_t>(std::abs(access.strides[loop]), kWarpThreads);
  return cost;
}

static std::optional<unsigned> leastStrided(ArrayRef<unsigned> loops,
                                            ArrayRef<LinearAccess> accesses,
                                            ArrayRef<int64_t> sizes) {
  std::optional<unsigned> best;
  for (unsigned loop : loops)
    if (sizes[loop] > 1 &&
        (!best || strideCost(accesses, loop) <= strideCost(accesses, *best)))
      best = loop;
  return best;
}

TeamNest mkc::cuda::planTeams(ArrayRef<LoopRange> ranges,
                              ArrayRef<int64_t> sizes,
                              ArrayRef<bool> isParallel,
                              ArrayRef<LinearAccess> inputs,
                              ArrayRef<LinearAccess> results) {
  TeamNest nest;
  nest.ranges.assign(ranges.begin(), ranges.end());
  nest.sizes.assign(sizes.begin(), sizes.end());
  SmallVector<unsigned> parallel;
  for (unsigned d = 0; d < sizes.size(); ++d)
    (isParallel[d] ? parallel : nest.serial).push_back(d);
  SmallVector<LinearAccess> accesses(inputs);
  llvm::append_range(accesses, results);
  nest.parallel = orderForThreads(parallel, accesses, sizes);

  std::optional<unsigned> team = leastStrided(nest.serial, inputs, sizes);
  if (!team)
    return nest;
  int64_t points = std::max<int64_t>(countPoints(sizes, parallel), 1);
  // At least two elements each, else a member only costs a step of the tree.
  int64_t most =
      llvm::bit_floor(uint64_t(std::max<int64_t>(sizes[*team] / 2, 1)));
  int64_t idle =
      llvm::bit_floor(uint64_t(std::max<int64_t>(kTileThreads / points, 1)));
  std::optional<unsigned> across = leastStrided(parallel, inputs, sizes);
  bool readsAlongTeam =
      !across || strideCost(inputs, *team) < strideCost(inputs, *across);
  int64_t wanted = readsAlongTeam ? std::max(idle, kWarpThreads) : idle;
  nest.teamSize = std::min({wanted, most, kTileThreads});
  if (nest.teamSize == 1)
    return nest;
  nest.team = team;
  llvm::erase(nest.serial, *team);
  return nest;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
class TeamEmitter {
public:
  TeamEmitter(ThreadBuilder &tb, const TeamNest &nest,
              const TeamReducer &reducer)
      : tb(tb), nest(nest), reducer(reducer), point(nest.sizes.size(), 0) {}

  void emit() {
    if (nest.teamSize == 1)
      return tb.forEachThreadPoint(
          nest.ranges, nest.sizes, nest.parallel, point, [&] {
            SmallVector<Value> total = accumulate(0, reducer.identity());
            reducer.finish(point, total);
          });
    emitTeams();
  }

private:
  LoopRange rangeOf(unsigned loop) {
    return reducer.clip ? reducer.clip(loop, point) : nest.ranges[loop];
  }

  /// The serial loops from `depth` inwards.
  SmallVector<Value> accumulate(unsigned depth, ValueRange partial) {
    if (depth == nest.serial.size())
      return reducer.accumulate(point, partial);
    unsigned loop = nest.serial[depth];
    LoopRange range = rangeOf(loop);
    return tb.loop(range.begin, tb.add(range.begin, range.size), 1, partial,
                   [&](Index i, ValueRange carried) {
                     point[loop] = i;
                     SmallVector<Value> next = accumulate(depth + 1, carried);
                     point[loop] = 0;
                     return next;
                   });
  }

  /// One member's share of the team's loop.
  SmallVector<Value> partialOf(Index lane) {
    LoopRange range = rangeOf(*nest.team);
    return tb.loop(tb.add(range.begin, lane), tb.add(range.begin, range.size),
                   nest.teamSize, reducer.identity(),
                   [&](Index i, ValueRange carried) {
                     point[*nest.team] = i;
                     SmallVector<Value> next = accumulate(0, carried);
                     point[*nest.team] = 0;
                     return next;
                   });
  }

  /// All threads take part in every round, so that they meet at its syncs.
  void emitTeams() {
    int64_t teams = kTileThreads / nest.teamSize;
    int64_t points = countPoints(nest.sizes, nest.parallel);
    if (points == 0)
      return;
    Index lane = tb.mod(Index(tb.thread), nest.teamSize);
    Index team = tb.quotient(Index(tb.thread), nest.teamSize);
    tb.loop(0, points, teams, [&](Index first) {
      Index n = tb.add(first, team);
      Value exists = points % teams ? tb.lessThan(n, points) : Value();
      exists = tb.both(exists, tb.delinearize(n, nest.ranges, nest.sizes,
                                              nest.parallel, point));
      SmallVector<Value> partial = tb.ifElse(exists, reducer.identity(),
                                             [&] { return partialOf(lane); });
      combine(partial, lane);
      Value isFirst = tb.both(exists, tb.lessThan(lane, 1));
      tb.ifTrue(isFirst, [&] {
        SmallVector<Value> total;
        for (const Memory &memory : slots)
          total.push_back(tb.loadScalar(memory, Index(tb.thread)));
        reducer.finish(point, total);
      });
      // The next round overwrites what the first members have just read.
      tb.sync();
    });
  }

  /// A tree over the team's slots; afterwards the first one holds the result.
  void combine(ValueRange partial, Index lane) {
    slots.clear();
    for (auto [i, value] : llvm::enumerate(partial)) {
      slots.push_back(
          tb.sharedMemory(value.getType(), i * 8 * kTileThreads, kTileThreads));
      tb.storeScalar(value, slots.back(), Index(tb.thread));
    }
    tb.sync();
    for (int64_t half = nest.teamSize / 2; half > 0; half /= 2) {
      tb.ifTrue(tb.lessThan(lane, half), [&] {
        SmallVector<Value> mine, other;
        for (const Memory &memory : slots) {
          mine.push_back(tb.loadScalar(memory, Index(tb.thread)));
          other.push_back(
              tb.loadScalar(memory, tb.add(Index(tb.thread), half)));
        }
        for (auto [memory, value] :
             llvm::zip(slots, reducer.combine(mine, other)))
          tb.storeScalar(value, memory, Index(tb.thread));
      });
      tb.sync();
    }
  }

  ThreadBuilder &tb;
  const TeamNest &nest;
  const TeamReducer &reducer;
  SmallVector<Index> point;
  SmallVector<Memory> slots;
};
} // namespace

void mkc::cuda::reduceInTeams(ThreadBuilder &tb, const TeamNest &nest,
                              const TeamReducer &reducer) {
  TeamEmitter(tb, nest, reducer).emit();
}
