//===- RandomSchedule.cpp - Small schedules for tests ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/RandomSchedule.h"

#include "test/unit/runtime/TestPackage.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace mkrt::format;
using namespace mkrt::test;

namespace {
/// Builds the records of a family, then their edges.
class Generator {
public:
  explicit Generator(Random &random)
      : random_(random), queues_(2 + unsigned(pick(random, 5))),
        package_(queues_) {
    if (pick(random, 8) == 0)
      queues_ = 20; // More than a sparse position set holds.
    package_ = TestPackage(queues_);
    package_.parts.program.arenaBytes = kArena;
    package_.parts.program.stateBytes = kState;
    package_.input("x", types::UInt8, {kPort});
    package_.output("y", types::UInt8, {kPort});
  }
  PackageParts build();

private:
  static constexpr int64_t kArena = 320, kState = 96, kPort = 64;

  struct Task {
    unsigned queue;
    uint32_t kernel;
    std::vector<OperandRef> operands;
    uint32_t tileStart, tileCount, tileStride;
  };

  int64_t upTo(int64_t most) { return int64_t(pick(random_, most + 1)); }
  bool oneIn(uint64_t n) { return pick(random_, n) == 0; }
  unsigned nextQueue();

  void randomBoxes();
  AccessEntry randomAccess(AccessBuilder &b, unsigned operand, AccessMode mode,
                           int64_t space, uint32_t tiles);
  OperandRef randomOperand(AccessMode mode, int64_t &space);
  void layers();
  void matrices();
  void appends();
  void addTask(uint32_t kernel, std::vector<OperandRef> operands,
               uint32_t start, uint32_t count, uint32_t stride = 1);

  std::set<std::pair<uint64_t, bool>>
  bytesOf(const Task &task, std::optional<unsigned> operand = {}) const;
  bool operandsClash(const Task &task) const;
  void addRecords();
  void chooseWaits(std::vector<std::vector<bool>> &before,
                   const std::vector<bool> &needed, uint32_t task);

  Random &random_;
  unsigned queues_;
  TestPackage package_;
  std::vector<Task> tasks_;
  std::vector<std::vector<Wait>> waits_;
  std::vector<std::vector<Signal>> signals_;
};
} // namespace

unsigned Generator::nextQueue() {
  return oneIn(3) ? unsigned(pick(random_, queues_))
                  : unsigned(tasks_.size() % queues_);
}

void Generator::addTask(uint32_t kernel, std::vector<OperandRef> operands,
                        uint32_t start, uint32_t count, uint32_t stride) {
  tasks_.push_back(
      {nextQueue(), kernel, std::move(operands), start, count, stride});
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

/// A box that fits [0, space) for all tiles.
AccessEntry Generator::randomAccess(AccessBuilder &b, unsigned operand,
                                    AccessMode mode, int64_t space,
                                    uint32_t tiles) {
  for (;;) {
    ByteBox box;
    box.innerBytes = 1 + upTo(oneIn(4) ? 40 : 7);
    box.rank = unsigned(upTo(3));
    for (unsigned k = 0; k < box.rank; ++k) {
      box.size[k] = oneIn(20) ? 0 : 1 + upTo(3);
      box.stride[k] = upTo(40) - 10;
    }
    int64_t step = upTo(24) - 8;
    ByteBox last = box;
    last.offset += step * (int64_t(tiles) - 1);
    int64_t begin = std::min(box.hull()->first, last.hull()->first);
    int64_t end = std::max(box.hull()->second, last.hull()->second);
    if (end - begin > space)
      continue;
    int64_t offset = upTo(space - (end - begin)) - begin;
    std::vector<AccessBuilder::Dim> dims;
    for (unsigned k = 0; k < box.rank; ++k)
      dims.push_back({b.constant(box.size[k]), b.constant(box.stride[k])});
    auto at = b.add(b.constant(offset), b.mul(b.tile(), b.constant(step)));
    return b.entry(operand, mode, at, dims, b.constant(box.innerBytes));
  }
}

OperandRef Generator::randomOperand(AccessMode mode, int64_t &space) {
  int64_t base = 0;
  Space kind = Space::Arena;
  space = kArena;
  if (oneIn(6)) {
    kind = Space::State;
    space = kState;
  } else if (oneIn(6)) {
    kind = mode == AccessMode::Read && oneIn(2) ? Space::Input : Space::Output;
    space = kPort;
  } else if (mode == AccessMode::Read && oneIn(6)) {
    kind = Space::Weights;
    space = int64_t(kRandomWeightBytes);
  } else if (oneIn(2)) {
    base = 8 * upTo(10);
  }
  space -= base;
  return {kind, 0, uint64_t(base)};
}

void Generator::randomBoxes() {
  unsigned count = 6 + unsigned(upTo(24));
  for (unsigned i = 0; i < count; ++i) {
    uint32_t tiles = 1 + uint32_t(upTo(3));
    AccessBuilder b;
    std::vector<AccessEntry> entries;
    std::vector<OperandRef> operands;
    unsigned accesses = 1 + unsigned(upTo(2));
    for (unsigned a = 0; a < accesses; ++a) {
      AccessMode mode = oneIn(2)   ? AccessMode::Read
                        : oneIn(5) ? AccessMode::ReadWrite
                                   : AccessMode::Write;
      int64_t space;
      operands.push_back(randomOperand(mode, space));
      entries.push_back(randomAccess(b, a, mode, space, tiles));
    }
    // All entries see the whole code.
    for (AccessEntry &entry : entries)
      entry.instrCount = uint16_t(b.code().size());
    uint32_t kernel =
        package_.kernel("random", tiles, accesses, b, std::move(entries));
    uint32_t start = uint32_t(upTo(tiles - 1));
    uint32_t uses = oneIn(3) ? 2 : 1;
    for (uint32_t u = 0; u < uses; ++u)
      addTask(kernel, operands, start, 1 + uint32_t(upTo(tiles - 1 - start)));
  }
}

/// Tiles of layers read a halo of the layer before; three buffers in turn.
void Generator::layers() {
  const int64_t tiles = 3 + upTo(4), width = 4 + 4 * upTo(2);
  AccessBuilder b;
  auto t = b.tile();
  auto w = b.constant(width), size = b.constant(tiles * width);
  auto begin = b.max(b.constant(0), b.add(b.mul(t, w), b.constant(-width)));
  auto end = b.min(size, b.add(b.mul(t, w), b.constant(2 * width)));
  auto bytes = b.add(end, b.mul(begin, b.constant(-1)));
  std::vector<AccessEntry> entries = {
      b.entry(0, AccessMode::Write, b.mul(t, w), {}, w),
      b.entry(1, AccessMode::Read, begin, {}, bytes)};
  uint32_t kernel = package_.kernel("layer", uint32_t(tiles), 2, b, entries);
  const int64_t buffer = tiles * width + (oneIn(3) ? -4 : 4);
  unsigned depth = 3 + unsigned(upTo(3));
  auto slot = [&](unsigned layer) {
    return OperandRef(Space::Arena, 0, uint64_t(layer % 3) * uint64_t(buffer));
  };
  for (unsigned layer = 0; layer < depth; ++layer)
    for (uint32_t i = 0; i < tiles;) {
      uint32_t count =
          std::min<uint32_t>(1 + uint32_t(upTo(1)), uint32_t(tiles) - i);
      addTask(kernel, {slot(layer + 1), slot(layer)}, i, count);
      i += count;
    }
}

/// Kernels that write row tiles and read column tiles, and the other way round.
void Generator::matrices() {
  const int64_t rows = 4, columns = 4, element = 4, pitch = columns * element;
  AccessBuilder b;
  auto t = b.tile(), one = b.constant(element), row = b.constant(pitch);
  AccessBuilder::Dim down[] = {{b.constant(rows), row}};
  std::vector<AccessEntry> byRow = {
      b.entry(0, AccessMode::Write, b.mul(t, row), {}, row),
      b.entry(1, AccessMode::Read, b.mul(t, one), down, one)};
  std::vector<AccessEntry> byColumn = {
      b.entry(0, AccessMode::Write, b.mul(t, one), down, one),
      b.entry(1, AccessMode::Read, b.mul(t, row), {}, row)};
  for (auto *entries : {&byRow, &byColumn})
    for (AccessEntry &entry : *entries)
      entry.instrCount = uint16_t(b.code().size());
  uint32_t kernels[] = {package_.kernel("rows", 4, 2, b, byRow),
                        package_.kernel("columns", 4, 2, b, byColumn)};
  const uint64_t bytes = rows * pitch;
  unsigned depth = 3 + unsigned(upTo(3));
  for (unsigned layer = 0; layer < depth; ++layer) {
    OperandRef to(Space::Arena, 0, (layer + 1) % 2 * bytes);
    OperandRef from(Space::Arena, 0, layer % 2 * bytes);
    uint32_t kernel = kernels[pick(random_, 2)];
    if (oneIn(2)) {
      for (uint32_t i = 0; i < 4; ++i)
        addTask(kernel, {to, from}, i, 1);
    } else { // Every other tile.
      addTask(kernel, {to, from}, 0, 2, 2);
      addTask(kernel, {to, from}, 1, 2, 2);
    }
  }
}

/// Writers of single rows of the state, readers of all of it.
void Generator::appends() {
  AccessBuilder b;
  auto row = b.constant(8);
  std::vector<AccessEntry> append = {
      b.entry(0, AccessMode::Write, b.mul(b.tile(), row), {}, row)};
  uint32_t writer = package_.kernel("append", 12, 1, b, append);
  AccessBuilder c;
  auto all = c.constant(kState), width = c.constant(4);
  auto at = c.mul(c.tile(), width);
  std::vector<AccessEntry> attend = {
      c.entry(0, AccessMode::Read, c.constant(0), {}, all),
      c.entry(1, AccessMode::Write, at, {}, width)};
  for (AccessEntry &entry : attend)
    entry.instrCount = uint16_t(c.code().size());
  uint32_t reader = package_.kernel("attend", 8, 2, c, attend);
  OperandRef state(Space::State, 0, 0);
  unsigned count = 8 + unsigned(upTo(16));
  for (unsigned i = 0; i < count; ++i) {
    if (oneIn(2))
      addTask(writer, {state}, uint32_t(upTo(11)), 1);
    else
      addTask(reader,
              {state, OperandRef(Space::Arena, 0, 16 * pick(random_, 3))},
              uint32_t(upTo(7)), 1);
  }
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

static bool conflict(const std::set<std::pair<uint64_t, bool>> &a,
                     const std::set<std::pair<uint64_t, bool>> &b) {
  return std::any_of(a.begin(), a.end(), [&](auto access) {
    auto [byte, write] = access;
    return b.contains({byte, true}) || (write && b.contains({byte, false}));
  });
}

/// (byte with its space, written) of all accesses, or of those of one operand.
std::set<std::pair<uint64_t, bool>>
Generator::bytesOf(const Task &task, std::optional<unsigned> operand) const {
  std::set<std::pair<uint64_t, bool>> bytes;
  const PackageParts &parts = package_.parts;
  const KernelInfo &kernel = parts.kernels[task.kernel];
  for (uint32_t a = 0; a < kernel.accessCount; ++a)
    for (uint32_t t = 0; t < task.tileCount; ++t) {
      const AccessEntry &access = parts.accesses[kernel.firstAccess + a];
      if (operand && access.operand != *operand)
        continue;
      ByteBox box = *evaluateAccess(access, parts.accessCode,
                                    task.tileStart + t * task.tileStride);
      if (box.empty())
        continue;
      for (unsigned k = box.rank; k < 3; ++k)
        box.size[k] = 1, box.stride[k] = 0;
      OperandRef ref = task.operands[access.operand];
      for (int64_t i = 0; i < box.size[0]; ++i)
        for (int64_t j = 0; j < box.size[1]; ++j)
          for (int64_t k = 0; k < box.size[2]; ++k)
            for (int64_t e = 0; e < box.innerBytes; ++e)
              bytes.emplace(uint64_t(ref.rawSpace()) << 32 |
                                uint64_t(int64_t(ref.offset()) + box.offset +
                                         i * box.stride[0] + j * box.stride[1] +
                                         k * box.stride[2] + e),
                            access.mode != AccessMode::Read);
    }
  return bytes;
}

/// True if the task writes bytes through one operand that it touches through
/// another one: no edge can order those.
bool Generator::operandsClash(const Task &task) const {
  for (unsigned a = 0; a < task.operands.size(); ++a)
    for (unsigned b = a + 1; b < task.operands.size(); ++b)
      if (conflict(bytesOf(task, a), bytesOf(task, b)))
        return true;
  return false;
}

/// Waits for the latest needed tasks that are not before the task yet, each by
/// its own counter; up to the number that a record holds.
void Generator::chooseWaits(std::vector<std::vector<bool>> &before,
                            const std::vector<bool> &needed, uint32_t task) {
  for (uint32_t other = task; other-- > 0;) {
    if (!needed[other] || before[task][other])
      continue;
    if (waits_[task].size() == kMaxWaits)
      return;
    waits_[task].push_back({other, 0});
    before[task][other] = true;
    for (uint32_t i = 0; i < other; ++i)
      if (before[other][i])
        before[task][i] = true;
  }
}

void Generator::addRecords() {
  size_t count = tasks_.size();
  const bool repaired = !oneIn(8);
  std::vector<std::set<std::pair<uint64_t, bool>>> bytes;
  for (Task &task : tasks_) {
    if (repaired && operandsClash(task))
      task.tileCount = 0; // It shall do nothing.
    bytes.push_back(bytesOf(task));
  }
  waits_.resize(count);
  signals_.resize(count);
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
  for (uint32_t t = 0; t < count; ++t) {
    std::vector<bool> needed(count);
    for (uint32_t other = 0; other < t; ++other) {
      if (tasks_[other].queue == tasks_[t].queue) {
        before[t][other] = true;
        for (uint32_t i = 0; i < other; ++i)
          before[t][i] = before[t][i] || before[other][i];
      }
    }
    for (uint32_t other = 0; other < t; ++other)
      needed[other] =
          repaired ? conflict(bytes[other], bytes[t]) || oneIn(40) : oneIn(8);
    chooseWaits(before, needed, t);
    for (uint32_t other = 0; other < t; ++other)
      if (repaired && conflict(bytes[other], bytes[t]) && !before[t][other])
        tasks_[t].tileCount = 0; // Too many edges: it shall do nothing.
    if (tasks_[t].tileCount == 0)
      bytes[t].clear();
  }
  for (uint32_t t = 0; t < count; ++t)
    signals_[t] = {{t, 1 + uint32_t(upTo(2))}};
}

/// All records of a kernel become one dispatch: the verifier
/// groups accesses by the dispatches that write.
static void shareDispatches(PackageParts &parts) {
  std::vector<uint32_t> first(parts.kernels.size(), UINT32_MAX);
  for (uint32_t r = 0; r < parts.records.size(); ++r) {
    uint32_t &dispatch = first[parts.records[r].kernel];
    if (dispatch == UINT32_MAX)
      dispatch = parts.recordDispatch[r];
    parts.recordDispatch[r] = dispatch;
  }
}

PackageParts Generator::build() {
  switch (pick(random_, 5)) {
  case 0:
    layers();
    break;
  case 1:
    matrices();
    break;
  case 2:
    appends();
    break;
  default:
    randomBoxes();
  }
  addRecords();
  // Bands: some pairs of counters with equal waiters become one counter.
  const uint32_t count = uint32_t(tasks_.size());
  for (uint32_t c = 0; c + 1 < count; ++c) {
    bool same = true, used = false;
    for (const std::vector<Wait> &waits : waits_) {
      auto has = [&](uint32_t counter) {
        return std::any_of(waits.begin(), waits.end(), [&](const Wait &wait) {
          return wait.counter == counter;
        });
      };
      same &= has(c) == has(c + 1);
      used |= has(c);
    }
    if (!same || !used)
      continue;
    signals_[c][0].counter = c + 1;
    for (std::vector<Wait> &waits : waits_)
      std::erase_if(waits, [&](const Wait &wait) { return wait.counter == c; });
  }
  std::vector<uint32_t> total(count);
  for (const std::vector<Signal> &signals : signals_)
    total[signals[0].counter] += signals[0].amount;
  for (uint32_t t = 0; t < count; ++t) {
    for (Wait &wait : waits_[t])
      wait.target = total[wait.counter];
    const Task &task = tasks_[t];
    Record &record = package_.record(task.queue, task.kernel, task.operands,
                                     waits_[t], signals_[t]);
    record.tileStart = task.tileStart;
    record.tileCount = task.tileCount;
    record.tileStride = task.tileStride;
  }
  PackageParts parts = package_.finish();
  if (!oneIn(4))
    shareDispatches(parts);
  return parts;
}

PackageParts mkrt::test::randomSchedule(Random &random) {
  return Generator(random).build();
}
