//===- mutate.cpp - Damaging schedules ------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/mutate.h"

#include <algorithm>
#include <iterator>
#include <tuple>

using namespace mkrt::format;
using namespace mkrt::test;

using Text = std::optional<std::string>;

static Record *anyRecord(PackageParts &parts, Random &random) {
  if (parts.records.empty())
    return nullptr;
  return &parts.records[pick(random, parts.records.size())];
}

static std::string number(const PackageParts &parts, const Record *record) {
  return std::to_string(record - parts.records.data());
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

static Text dropWait(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  if (!record || !record->waitCount)
    return std::nullopt;
  unsigned i = unsigned(pick(random, record->waitCount));
  std::copy(record->waits + i + 1, record->waits + record->waitCount,
            record->waits + i);
  --record->waitCount;
  return "drop wait " + std::to_string(i) + " of record " +
         number(parts, record);
}

static Text dropSignal(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  if (!record || !record->signalCount)
    return std::nullopt;
  --record->signalCount;
  return "drop the last signal of record " + number(parts, record);
}

static Text changeAmount(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  if (!record || !record->signalCount)
    return std::nullopt;
  Signal &signal = record->signals[pick(random, record->signalCount)];
  bool up = signal.amount == 0 || pick(random, 2);
  signal.amount += up ? 1 : -1;
  return std::string(up ? "raise" : "lower") + " an amount of record " +
         number(parts, record);
}

static Text changeTarget(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  if (!record || !record->waitCount)
    return std::nullopt;
  Wait &wait = record->waits[pick(random, record->waitCount)];
  bool up = wait.target == 0 || pick(random, 2);
  wait.target += up ? 1 : -1;
  return std::string(up ? "raise" : "lower") + " a target of record " +
         number(parts, record);
}

/// The sums stay right; only the order is lost.
static Text dropEdge(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  if (!record || !record->signalCount)
    return std::nullopt;
  Signal &signal = record->signals[pick(random, record->signalCount)];
  for (Record &waiter : parts.records)
    for (unsigned i = 0; i < waiter.waitCount; ++i)
      if (waiter.waits[i].counter == signal.counter)
        waiter.waits[i].target -= signal.amount;
  signal.amount = 0;
  return "drop the edges from record " + number(parts, record) +
         " by counter " + std::to_string(signal.counter);
}

/// The amount moves to another counter and all targets follow.
static Text moveSignal(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  if (!record || !record->signalCount)
    return std::nullopt;
  Signal &signal = record->signals[pick(random, record->signalCount)];
  uint32_t to = uint32_t(pick(random, parts.program.counterCount));
  for (Record &waiter : parts.records)
    for (unsigned i = 0; i < waiter.waitCount; ++i) {
      if (waiter.waits[i].counter == signal.counter)
        waiter.waits[i].target -= signal.amount;
      if (waiter.waits[i].counter == to)
        waiter.waits[i].target += signal.amount;
    }
  signal.counter = to;
  return "signals of record " + number(parts, record) + " go to counter " +
         std::to_string(to);
}

static Text otherCounter(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  if (!record || !record->waitCount)
    return std::nullopt;
  const Record *from = anyRecord(parts, random);
  if (!from->waitCount)
    return std::nullopt;
  // Another record's wait: its target is right.
  record->waits[pick(random, record->waitCount)] =
      from->waits[pick(random, from->waitCount)];
  return "record " + number(parts, record) + " waits as record " +
         number(parts, from) + " does";
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static Text swapRecords(PackageParts &parts, Random &random) {
  if (parts.records.size() < 2)
    return std::nullopt;
  // Neighbours mostly: far swaps are deadlocks.
  size_t a = pick(random, parts.records.size() - 1), b = a + 1;
  if (pick(random, 4) == 0)
    b = pick(random, parts.records.size());
  std::swap(parts.records[a], parts.records[b]);
  std::swap(parts.recordDispatch[a], parts.recordDispatch[b]);
  // Mostly the ranks stay where they were, so that they are not what is wrong.
  if (pick(random, 4))
    std::swap(parts.records[a].rank, parts.records[b].rank);
  return "swap records " + std::to_string(a) + " and " + std::to_string(b);
}

static Text swapRanks(PackageParts &parts, Random &random) {
  Record *a = anyRecord(parts, random), *b = anyRecord(parts, random);
  if (!a)
    return std::nullopt;
  std::swap(a->rank, b->rank);
  return "swap the ranks of records " + number(parts, a) + " and " +
         number(parts, b);
}

/// To where its rank fits, or to anywhere.
static Text moveRecord(PackageParts &parts, Random &random) {
  if (parts.records.empty())
    return std::nullopt;
  size_t from = pick(random, parts.records.size());
  uint32_t queue = uint32_t(pick(random, parts.program.queueCount));
  Record record = parts.records[from];
  uint32_t dispatch = parts.recordDispatch[from];
  parts.records.erase(parts.records.begin() + ptrdiff_t(from));
  parts.recordDispatch.erase(parts.recordDispatch.begin() + ptrdiff_t(from));
  for (uint32_t &start : parts.queueStarts)
    start -= start > from;
  uint32_t begin = parts.queueStarts[queue], end = parts.queueStarts[queue + 1];
  uint32_t at = begin;
  while (at < end && parts.records[at].rank < record.rank)
    ++at;
  if (pick(random, 4) == 0)
    at = begin + uint32_t(pick(random, end - begin + 1));
  parts.records.insert(parts.records.begin() + at, record);
  parts.recordDispatch.insert(parts.recordDispatch.begin() + at, dispatch);
  for (uint32_t q = queue + 1; q < parts.queueStarts.size(); ++q)
    ++parts.queueStarts[q];
  return "move record " + std::to_string(from) + " to place " +
         std::to_string(at) + " in queue " + std::to_string(queue);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Gives an access code of its own, with `delta` added to one of its registers.
static void addTo(PackageParts &parts, AccessEntry &entry, uint16_t &reg,
                  int64_t delta) {
  size_t first = parts.accessCode.size();
  for (uint16_t i = 0; i < entry.instrCount; ++i) {
    AccessInstr instr = parts.accessCode[entry.firstInstr + i];
    parts.accessCode.push_back(instr);
  }
  uint16_t count = entry.instrCount;
  parts.accessCode.push_back({AccessOp::Constant, 0, 0, 0, 0, delta});
  parts.accessCode.push_back({AccessOp::Add, 0, reg, count, 0, 0});
  reg = uint16_t(count + 1);
  entry.firstInstr = uint32_t(first);
  entry.instrCount = uint16_t(count + 2);
}

static int64_t smallStep(Random &random) {
  static constexpr int64_t steps[] = {1, 2, 4, 8, 64};
  int64_t step = steps[pick(random, std::size(steps))];
  return pick(random, 2) ? step : -step;
}

static Text changeAccess(PackageParts &parts, Random &random) {
  if (parts.accesses.empty())
    return std::nullopt;
  size_t index = pick(random, parts.accesses.size());
  AccessEntry &entry = parts.accesses[index];
  std::string what;
  int64_t delta = smallStep(random);
  uint64_t kind = pick(random, entry.rank ? 4 : 2);
  unsigned dim = entry.rank ? unsigned(pick(random, entry.rank)) : 0;
  if (kind == 0) {
    addTo(parts, entry, entry.offset, delta);
    what = "offset";
  } else if (kind == 1) {
    addTo(parts, entry, entry.innerBytes, delta);
    what = "run of bytes";
  } else if (kind == 2) {
    delta = delta < 0 ? -1 : 1;
    addTo(parts, entry, entry.size[dim], delta);
    what = "size";
  } else {
    addTo(parts, entry, entry.stride[dim], delta);
    what = "stride";
  }
  return "add " + std::to_string(delta) + " to the " + what + " of access " +
         std::to_string(index);
}

static Text flipMode(PackageParts &parts, Random &random) {
  if (parts.accesses.empty())
    return std::nullopt;
  size_t index = pick(random, parts.accesses.size());
  AccessMode &mode = parts.accesses[index].mode;
  mode = mode == AccessMode::Read ? AccessMode::Write : AccessMode::Read;
  return "flip read and write of access " + std::to_string(index);
}

static uint64_t &operandOf(PackageParts &parts, Record &record, unsigned i) {
  constexpr unsigned kTable = kInlineOperands - 1;
  if (record.operandCount <= kInlineOperands || i < kTable)
    return record.operands[i];
  return parts.operandTable[record.operands[kTable] + i - kTable];
}

static uint64_t *anyOperand(PackageParts &parts, Record *record,
                            Random &random) {
  if (!record || !record->operandCount)
    return nullptr;
  return &operandOf(parts, *record,
                    unsigned(pick(random, record->operandCount)));
}

static Text shiftOperand(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  uint64_t *operand = anyOperand(parts, record, random);
  if (!operand)
    return std::nullopt;
  OperandRef ref(*operand);
  int64_t delta = smallStep(random);
  if (int64_t(ref.offset()) + delta < 0)
    return std::nullopt;
  *operand = OperandRef(ref.space(), ref.index(),
                        uint64_t(int64_t(ref.offset()) + delta))
                 .bits();
  return "shift an operand of record " + number(parts, record) + " by " +
         std::to_string(delta);
}

namespace {
/// An operand of a record that refers to a given place.
struct Reference {
  Record *record;
  uint32_t dispatch;
  uint64_t *bits;
  bool write;
};
} // namespace

/// All operands with these bits, in the order of ranks.
static std::vector<Reference> referencesTo(PackageParts &parts, uint64_t bits) {
  std::vector<Reference> references;
  for (size_t r = 0; r < parts.records.size(); ++r) {
    Record &record = parts.records[r];
    const KernelInfo &kernel = parts.kernels[record.kernel];
    for (unsigned i = 0; i < record.operandCount; ++i) {
      uint64_t &operand = operandOf(parts, record, i);
      if (operand != bits)
        continue;
      auto accesses = std::span(parts.accesses)
                          .subspan(kernel.firstAccess, kernel.accessCount);
      bool write = std::any_of(
          accesses.begin(), accesses.end(), [&](const AccessEntry &access) {
            return access.operand == i && access.mode != AccessMode::Read;
          });
      references.push_back({&record, parts.recordDispatch[r], &operand, write});
    }
  }
  std::sort(references.begin(), references.end(),
            [](const Reference &a, const Reference &b) {
              return std::tuple(a.record->rank, a.bits) <
                     std::tuple(b.record->rank, b.bits);
            });
  return references;
}

/// Another place of the same space: where another operand of the same record
/// is, where one of any record is, near, or anywhere.
static uint64_t otherPlace(PackageParts &parts, Record &record, OperandRef ref,
                           Random &random) {
  uint64_t kind = pick(random, 4);
  if (kind < 2) {
    Record *from = kind ? anyRecord(parts, random) : &record;
    const uint64_t *bits = anyOperand(parts, from, random);
    if (!bits || OperandRef(*bits).rawSpace() != ref.rawSpace())
      return ref.offset();
    return OperandRef(*bits).offset();
  }
  static constexpr uint64_t units[] = {1, 8, 64, 4096};
  uint64_t unit = units[pick(random, std::size(units))];
  if (kind == 2)
    return ref.offset() < unit || pick(random, 2) ? ref.offset() + unit
                                                  : ref.offset() - unit;
  uint64_t size = ref.space() == Space::Arena ? parts.program.arenaBytes
                                              : parts.program.stateBytes;
  return pick(random, size / unit + 1) * unit;
}

/// As a wrong memory plan would: a value of the arena or the state moves, with
/// all operands that refer to it. It lives from a dispatch that writes at its
/// place up to the next other one that does.
static Text moveBuffer(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  const uint64_t *operand = anyOperand(parts, record, random);
  if (!operand)
    return std::nullopt;
  OperandRef ref(*operand);
  if (ref.space() != Space::Arena && ref.space() != Space::State)
    return std::nullopt;
  OperandRef to(ref.space(), 0, otherPlace(parts, *record, ref, random));
  if (to == ref)
    return std::nullopt;
  std::vector<Reference> references = referencesTo(parts, ref.bits());
  size_t begin = 0, drawn = 0;
  std::optional<uint32_t> writer;
  size_t end = 0;
  while (references[drawn].bits != operand)
    ++drawn;
  for (; end < references.size(); ++end) {
    const Reference &reference = references[end];
    if (!reference.write || reference.dispatch == writer)
      continue;
    if (end > drawn)
      break;
    writer = reference.dispatch;
    begin = end;
  }
  for (size_t i = begin; i < end; ++i)
    *references[i].bits = to.bits();
  return "move " + std::to_string(end - begin) + " operands, one of record " +
         number(parts, record) + ", from byte " + std::to_string(ref.offset()) +
         " to byte " + std::to_string(to.offset());
}

static Text otherOperand(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random), *from = anyRecord(parts, random);
  uint64_t *to = anyOperand(parts, record, random);
  const uint64_t *other = anyOperand(parts, from, random);
  if (!to || !other)
    return std::nullopt;
  *to = *other;
  return "record " + number(parts, record) + " takes an operand of record " +
         number(parts, from);
}

static Text changeTiles(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  if (!record)
    return std::nullopt;
  uint32_t &field = pick(random, 2) ? record->tileStart : record->tileCount;
  field += pick(random, 2) || field == 0 ? 1 : -1;
  return "change the tiles of record " + number(parts, record);
}

static Text changeMeaning(PackageParts &parts, Random &random) {
  Record *record = anyRecord(parts, random);
  if (!record)
    return std::nullopt;
  if (pick(random, 2)) {
    record->opcode = pick(random, 2) ? Opcode::Loop : Opcode::Claim;
    return "change the opcode of record " + number(parts, record);
  }
  record->handoff[pick(random, kInlineOperands)] =
      pick(random, 2) ? Handoff::FlagInData : Handoff::Page;
  return "change a hand-off of record " + number(parts, record);
}

std::optional<std::string> mkrt::test::mutate(PackageParts &parts,
                                              Random &random) {
  using Mutation = Text (*)(PackageParts &, Random &);
  static constexpr Mutation mutations[] = {
      dropWait,     dropSignal,   changeAmount, changeTarget, dropEdge,
      dropEdge,     moveSignal,   otherCounter, swapRecords,  swapRanks,
      moveRecord,   changeAccess, changeAccess, flipMode,     shiftOperand,
      otherOperand, changeTiles,  moveBuffer,   moveBuffer,   changeMeaning};
  return mutations[pick(random, std::size(mutations))](parts, random);
}
