//===- Scan.cpp - Finding unordered conflicts -----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Scan.h"

#include <algorithm>

using namespace mkrt;
using namespace mkrt::verify;
using namespace mkrt::format;

/// Of clocks and positions: far more than any model needs.
static constexpr uint64_t kMaxRowBytes = uint64_t(1) << 31;

Scan::Scan(const PackageView &view, const BoxTable &boxes,
           const Footprints &footprints, Groups &groups,
           const VerifyOptions &options, Effort &effort)
    : view_(view), boxes_(boxes), groups_(groups), options_(options),
      effort_(effort), lanes_(view), rows_(lanes_.count()),
      lists_(2 * options.sparsePositions),
      pools_{rows_, lists_, options.sparsePositions}, states_(groups.size()),
      live_(groups.spaceCount()) {}

Scan::~Scan() = default;

Problem Scan::run(std::span<const uint32_t> order) {
  collectWakeClocks(order);
  Clocks clocks(view_, lanes_, rows_);
  std::vector<uint32_t> done(lanes_.count());
  uint32_t sinceRetirement = 0;
  for (uint32_t record : order) {
    uint32_t lane = lanes_.of(record);
    if (Problem problem = checkRecord(record, lane, clocks.begin(record, lane)))
      return problem;
    clocks.end(record, lane);
    ++done[lane];
    if (++sinceRetirement == options_.retireInterval) {
      sinceRetirement = 0;
      retire(clocks, done);
    }
  }
  return {};
}

Problem Scan::checkRecord(uint32_t record, uint32_t lane,
                          const uint32_t *clock) {
  for (const Touch &touch : groups_.of(record)) {
    Access access{record,      lane,        clock[lane],      clock,
                  touch.group, touch.local, bool(touch.write)};
    Problem problem = checkAccess(access);
    if (effort_.exhausted() || rows_.bytes() > kMaxRowBytes)
      return {Failure::TooLarge,
              recordText(view_, record) +
                  ": comparing its accesses with those before takes more " +
                  (effort_.exhausted() ? "steps" : "memory") +
                  " than the verifier allows for " +
                  std::to_string(view_.records().size()) + " records"};
    if (problem)
      return problem;
  }
  return {};
}

/// Remembers the clocks of records that come long after their lane's record
/// before.
void Scan::collectWakeClocks(std::span<const uint32_t> order) {
  Clocks clocks(view_, lanes_, rows_);
  std::vector<size_t> last(lanes_.count());
  for (size_t i = 0; i < order.size(); ++i) {
    uint32_t record = order[i], lane = lanes_.of(record);
    const uint32_t *clock = clocks.begin(record, lane);
    if (i - last[lane] > options_.retireInterval)
      wakeClocks_[record] = rows_.takeCopy(clock);
    last[lane] = i;
    clocks.end(record, lane);
  }
}

//===----------------------------------------------------------------------===//
// Opening and retiring groups
//===----------------------------------------------------------------------===//

GroupState &Scan::stateOf(uint32_t group) {
  if (!states_[group])
    open(group);
  return *states_[group];
}

void Scan::open(uint32_t group) {
  const Group &g = groups_[group];
  const Template &t = groups_.templates().built(g.pattern);
  auto state = std::make_unique<GroupState>();
  state->begin = t.begin + g.base;
  state->end = t.end + g.base;
  state->touchesLeft = g.touches;
  state->writes.resize(t.boxes.size());
  state->reads.resize(t.boxes.size());
  state->joined.assign(t.joinedCount, nullptr);
  state->lastAccess = rows_.take();
  state->lastWrite = rows_.take();
  effort_.spend(int64_t(live_[g.space].size()));
  for (uint32_t otherGroup : live_[g.space]) {
    GroupState &other = *states_[otherGroup];
    if (other.begin >= state->end || state->begin >= other.end)
      continue;
    if (!other.closed()) {
      state->rivals.push_back(otherGroup);
      other.rivals.push_back(group);
      continue;
    }
    if (state->earlier.empty()) {
      state->earlierAccess = rows_.take();
      state->earlierWrite = rows_.take();
      state->passedAccess.assign(lanes_.count(), false);
      state->passedWrite = state->passedAccess;
    }
    rows_.join(state->earlierAccess, other.lastAccess);
    rows_.join(state->earlierWrite, other.lastWrite);
    state->earlier.push_back(otherGroup);
  }
  live_[g.space].push_back(group);
  states_[group] = std::move(state);
}

/// Forgets the closed groups that all later records are ordered behind: the
/// least clock of the lanes that are not done tells up to where they are.
void Scan::retire(const Clocks &clocks, std::span<const uint32_t> done) {
  Row future = rows_.take();
  std::fill(future, future + rows_.width(), UINT32_MAX);
  for (uint32_t lane = 0; lane < done.size(); ++lane) {
    uint32_t next = lanes_.begin(lane) + done[lane];
    if (next == lanes_.end(lane))
      continue;
    auto wake = wakeClocks_.find(next);
    rows_.meet(future,
               wake == wakeClocks_.end() ? clocks.of(lane) : wake->second);
  }
  for (std::vector<uint32_t> &live : live_) {
    size_t kept = 0;
    for (uint32_t group : live) {
      GroupState &state = *states_[group];
      if (state.closed() && rows_.firstAbove(state.lastAccess, future) < 0)
        forget(group);
      else
        live[kept++] = group;
    }
    live.resize(kept);
  }
  rows_.give(future);
}

void Scan::forget(uint32_t group) {
  GroupState &state = *states_[group];
  for (std::vector<PositionSet> *sets : {&state.writes, &state.reads})
    for (PositionSet &set : *sets)
      set.release(pools_);
  for (Row &row : state.joined)
    rows_.give(row);
  for (Row *row : {&state.lastAccess, &state.lastWrite, &state.earlierAccess,
                   &state.earlierWrite})
    rows_.give(*row);
  states_[group].reset();
  groups_.templates().drop(groups_[group].pattern);
}

//===----------------------------------------------------------------------===//
// Checking accesses
//===----------------------------------------------------------------------===//

Problem Scan::checkAccess(const Access &access) {
  GroupState &state = stateOf(access.group);
  if (Problem problem = checkOtherGroups(access, state))
    return problem;
  if (Problem problem = checkOwnGroup(access, state))
    return problem;
  note(access, state);
  return {};
}

Problem Scan::checkOwnGroup(const Access &access, GroupState &state) {
  const Template &t = groups_.templates().built(groups_[access.group].pattern);
  if (t.joined[access.local] >= 0) {
    if (Problem problem = checkJoined(access, state))
      return problem;
  } else {
    for (uint32_t other : t.writers[access.local]) {
      int lane = state.writes[other].firstAbove(access.clock, rows_);
      if (lane >= 0)
        return race(access, access.group, other, uint32_t(lane),
                    state.writes[other].get(uint32_t(lane)), true);
    }
  }
  if (!access.write || !state.anyRead)
    return {};
  for (uint32_t other : t.readers[access.local]) {
    int lane = state.reads[other].firstAbove(access.clock, rows_);
    if (lane >= 0)
      return race(access, access.group, other, uint32_t(lane),
                  state.reads[other].get(uint32_t(lane)), false);
  }
  return {};
}

/// One comparison with all writes that share a byte with the box.
Problem Scan::checkJoined(const Access &access, GroupState &state) {
  const Template &t = groups_.templates().built(groups_[access.group].pattern);
  Row row = state.joined[t.joined[access.local]];
  int lane = row ? rows_.firstAbove(row, access.clock) : -1;
  if (lane < 0)
    return {};
  uint32_t other = access.local;
  for (uint32_t writer : t.writers[access.local])
    if (state.writes[writer].get(uint32_t(lane)) == row[lane])
      other = writer;
  return race(access, access.group, other, uint32_t(lane), row[lane], true);
}

Problem Scan::checkOtherGroups(const Access &access, GroupState &state) {
  if (!state.earlier.empty()) {
    auto &passed = access.write ? state.passedAccess : state.passedWrite;
    if (!passed[access.lane]) {
      Row need = access.write ? state.earlierAccess : state.earlierWrite;
      if (rows_.firstAbove(need, access.clock) < 0)
        passed[access.lane] = true;
      else
        for (uint32_t other : state.earlier)
          if (Problem problem = checkExactly(access, other))
            return problem;
    }
  }
  for (size_t i = 0; i < state.rivals.size();) {
    if (!states_[state.rivals[i]]) { // Forgotten.
      state.rivals[i] = state.rivals.back();
      state.rivals.pop_back();
      continue;
    }
    if (Problem problem = checkExactly(access, state.rivals[i++]))
      return problem;
  }
  return {};
}

Problem Scan::checkExactly(const Access &access, uint32_t otherGroup) {
  GroupState *other = states_[otherGroup].get();
  if (!other)
    return {}; // Forgotten: everything is ordered behind it.
  effort_.spend();
  Row need = access.write ? other->lastAccess : other->lastWrite;
  if (rows_.firstAbove(need, access.clock) < 0)
    return {};
  ++exactTests_;
  const Group &mine = groups_[access.group], &theirs = groups_[otherGroup];
  uint32_t box =
      groups_.templates().built(mine.pattern).boxes[access.local].box;
  for (uint32_t local :
       crossing(box, theirs.pattern, mine.base - theirs.base)) {
    int lane = other->writes[local].firstAbove(access.clock, rows_);
    if (lane >= 0)
      return race(access, otherGroup, local, uint32_t(lane),
                  other->writes[local].get(uint32_t(lane)), true);
    lane =
        access.write ? other->reads[local].firstAbove(access.clock, rows_) : -1;
    if (lane >= 0)
      return race(access, otherGroup, local, uint32_t(lane),
                  other->reads[local].get(uint32_t(lane)), false);
  }
  return {};
}

void Scan::note(const Access &access, GroupState &state) {
  const Template &t = groups_.templates().built(groups_[access.group].pattern);
  if (access.write) {
    state.writes[access.local].set(access.lane, access.position, pools_);
    state.lastWrite[access.lane] = access.position;
    for (uint32_t joined : t.pushes[access.local]) {
      Row &row = state.joined[joined];
      if (!row)
        row = rows_.take();
      row[access.lane] = access.position;
    }
  } else {
    state.reads[access.local].set(access.lane, access.position, pools_);
    state.anyRead = true;
  }
  state.lastAccess[access.lane] = access.position;
  --state.touchesLeft;
}

//===----------------------------------------------------------------------===//
// Boxes across groups
//===----------------------------------------------------------------------===//

size_t Scan::CrossingHash::operator()(const CrossingKey &key) const {
  uint64_t hash = (uint64_t(key.box) << 32 | key.pattern) * 0x9e3779b97f4a7c15;
  hash = (hash ^ hash >> 29 ^ uint64_t(key.delta)) * 0xbf58476d1ce4e5b9;
  return hash ^ hash >> 32;
}

/// Remembered: equal layers ask the same again and again.
const std::vector<uint32_t> &Scan::crossing(uint32_t box, uint32_t pattern,
                                            int64_t delta) {
  if (crossings_.size() >= options_.memoizedCrossings)
    crossings_.clear();
  auto [it, isNew] = crossings_.try_emplace({box, pattern, delta});
  if (isNew)
    groups_.templates().crossing(pattern, boxes_[box], delta, it->second);
  return it->second;
}

/// The text of a race: both records in the order of their ranks, a common byte,
/// and the missing edge.
Problem Scan::race(const Access &access, uint32_t otherGroup,
                   uint32_t otherLocal, uint32_t lane, uint32_t position,
                   bool otherWrites) const {
  const Group &mine = groups_[access.group], &theirs = groups_[otherGroup];
  auto boxOf = [&](const Group &group, uint32_t local) -> const Box & {
    return boxes_[groups_.templates().built(group.pattern).boxes[local].box];
  };
  int64_t byte = commonByte(boxOf(mine, access.local), mine.base,
                            boxOf(theirs, otherLocal), theirs.base, effort_)
                     .value_or(-1);
  uint32_t first = lanes_.begin(lane) + position - 1;
  uint32_t second = access.record;
  bool firstWrites = otherWrites, secondWrites = access.write;
  bool inOrder = view_.records()[first].rank < view_.records()[second].rank;
  if (!inOrder) {
    std::swap(first, second);
    std::swap(firstWrites, secondWrites);
  }
  SpaceId space = groups_.space(mine.space);
  uint32_t firstLane = lanes_.of(first);
  std::string text =
      recordText(view_, first) + " and " + recordText(view_, second) +
      " both touch byte " + std::to_string(byte) + " of " +
      spaceText(view_, space) + ": in the first, " +
      touchText(view_, first, space, byte, firstWrites) + ", in the second, " +
      touchText(view_, second, space, byte, secondWrites) +
      ", and nothing orders them; the second must be behind position " +
      std::to_string(first - lanes_.begin(firstLane)) + " of queue " +
      std::to_string(lanes_.queue(firstLane));
  if (inOrder)
    text += access.clock[lane] ? ", it is only behind position " +
                                     std::to_string(access.clock[lane] - 1)
                               : ", it is behind nothing of it";
  return {Failure::Race, text};
}
