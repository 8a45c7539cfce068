//===- AccessProgram.cpp - Validating, evaluating, printing accesses ------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/AccessProgram.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <string_view>

using namespace mkrt::format;

namespace {
struct OpInfo {
  std::string_view name;
  unsigned registers; ///< How many of a, b, c are used.
};
} // namespace

/// Indexed by AccessOp.
static constexpr OpInfo kOps[] = {
    {"constant", 0}, {"tile", 0}, {"dim", 0}, {"add", 2}, {"mul", 2},
    {"floordiv", 2}, {"mod", 2},  {"min", 2}, {"max", 2}, {"select", 3}};

//===----------------------------------------------------------------------===//
// ByteBox
//===----------------------------------------------------------------------===//

bool ByteBox::empty() const {
  return innerBytes <= 0 ||
         std::any_of(size, size + rank, [](int64_t n) { return n <= 0; });
}

std::optional<std::pair<int64_t, int64_t>> ByteBox::hull() const {
  int64_t begin = offset, end = offset;
  if (empty())
    return std::pair(begin, end);
  bool overflow = __builtin_add_overflow(end, innerBytes, &end);
  for (unsigned k = 0; k < rank; ++k) {
    int64_t span;
    overflow |= __builtin_mul_overflow(size[k] - 1, stride[k], &span);
    int64_t &bound = span < 0 ? begin : end;
    overflow |= __builtin_add_overflow(bound, span, &bound);
  }
  if (overflow)
    return std::nullopt;
  return std::pair(begin, end);
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

static std::string badInstr(size_t i, std::string what) {
  return "access instruction " + std::to_string(i) + " " + std::move(what);
}

static std::string checkRegisters(const AccessEntry &entry) {
  if (entry.rank > kMaxBoxRank)
    return "access has a box of rank " + std::to_string(entry.rank) +
           ", the most is " + std::to_string(kMaxBoxRank);
  unsigned most = std::max(entry.offset, entry.innerBytes);
  for (unsigned k = 0; k < entry.rank; ++k)
    most = std::max<unsigned>({most, entry.size[k], entry.stride[k]});
  if (most >= entry.instrCount)
    return "access uses register " + std::to_string(most) + " of " +
           std::to_string(entry.instrCount);
  return {};
}

/// Checks an instruction that defines register `i`.
static std::string checkInstr(size_t i, const AccessInstr &instr) {
  if (size_t(instr.op) >= std::size(kOps))
    return badInstr(i,
                    "has unknown opcode " + std::to_string(unsigned(instr.op)));
  const uint16_t regs[] = {instr.a, instr.b, instr.c};
  for (unsigned k = 0; k < std::size(regs); ++k) {
    if (k < kOps[size_t(instr.op)].registers && regs[k] >= i)
      return badInstr(i, "reads register " + std::to_string(regs[k]) +
                             ", which is not defined before it");
    // Evaluation loads registers a and b before it looks at the opcode.
    if (k >= kOps[size_t(instr.op)].registers && regs[k] != 0)
      return badInstr(i, "names register " + std::to_string(regs[k]) +
                             ", which its opcode does not use");
  }
  if (instr.op == AccessOp::Dim && instr.imm < 0)
    return badInstr(i, "names dim " + std::to_string(instr.imm));
  return {};
}

static std::string checkCode(std::span<const AccessInstr> code) {
  for (size_t i = 0; i < code.size(); ++i)
    if (std::string error = checkInstr(i, code[i]); !error.empty())
      return error;
  return {};
}

static std::string checkEntry(const AccessEntry &entry, size_t codeSize) {
  if (uint64_t(entry.firstInstr) + entry.instrCount > codeSize)
    return "access code [" + std::to_string(entry.firstInstr) + ", +" +
           std::to_string(entry.instrCount) + ") lies outside the " +
           std::to_string(codeSize) + " instructions";
  if (entry.mode < AccessMode::Read || entry.mode > AccessMode::ReadWrite)
    return "access has unknown mode " + std::to_string(unsigned(entry.mode));
  return checkRegisters(entry);
}

/// The first register number that instruction `instr` may not have: it reads
/// smaller ones. UINT32_MAX if it is valid nowhere.
static uint32_t leastNumber(const AccessInstr &instr) {
  if (!checkInstr(UINT16_MAX + 1, instr).empty())
    return UINT32_MAX;
  const uint16_t regs[] = {instr.a, instr.b, instr.c};
  uint32_t least = 0;
  for (unsigned k = 0; k < kOps[size_t(instr.op)].registers; ++k)
    least = std::max<uint32_t>(least, regs[k] + 1u);
  return least;
}

std::vector<uint32_t>
mkrt::format::validRunEnds(std::span<const AccessInstr> code) {
  std::vector<uint32_t> ends(code.size(), uint32_t(code.size()));
  // The starts of runs that are valid up to here, the latest last. Instruction
  // i ends those in which its number, its distance from the start, is too
  // small.
  std::vector<uint32_t> starts;
  for (uint32_t i = 0; i < code.size(); ++i) {
    starts.push_back(i);
    uint32_t least = leastNumber(code[i]);
    while (!starts.empty() && i - starts.back() < least) {
      ends[starts.back()] = i;
      starts.pop_back();
    }
  }
  return ends;
}

std::string mkrt::format::validateAccess(const AccessEntry &entry,
                                         std::span<const AccessInstr> code) {
  if (std::string error = checkEntry(entry, code.size()); !error.empty())
    return error;
  return checkCode(code.subspan(entry.firstInstr, entry.instrCount));
}

std::string
mkrt::format::validateAccess(const AccessEntry &entry,
                             std::span<const AccessInstr> code,
                             std::span<const uint32_t> validRunEnds) {
  if (std::string error = checkEntry(entry, code.size()); !error.empty())
    return error;
  auto range = code.subspan(entry.firstInstr, entry.instrCount);
  if (range.empty() || validRunEnds[entry.firstInstr] >=
                           uint64_t(entry.firstInstr) + entry.instrCount)
    return {};
  return checkCode(range);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b < 0 ? q - 1 : q;
}

static int64_t floorMod(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r < 0 ? r + b : r;
}

/// False on overflow, a divisor that is not positive, or a dim that is not
/// given.
static bool step(const AccessInstr &instr, const int64_t *regs, uint64_t tile,
                 std::span<const int64_t> dims, int64_t &out) {
  int64_t a = regs[instr.a], b = regs[instr.b];
  switch (instr.op) {
  case AccessOp::Constant:
    out = instr.imm;
    return true;
  case AccessOp::Tile:
    out = int64_t(tile);
    return tile <= uint64_t(INT64_MAX);
  case AccessOp::Dim:
    if (uint64_t(instr.imm) >= dims.size())
      return false;
    out = dims[instr.imm];
    return true;
  case AccessOp::Add:
    return !__builtin_add_overflow(a, b, &out);
  case AccessOp::Mul:
    return !__builtin_mul_overflow(a, b, &out);
  case AccessOp::FloorDiv:
    if (b <= 0)
      return false;
    out = floorDiv(a, b);
    return true;
  case AccessOp::Mod:
    if (b <= 0)
      return false;
    out = floorMod(a, b);
    return true;
  case AccessOp::Min:
    out = std::min(a, b);
    return true;
  case AccessOp::Max:
    out = std::max(a, b);
    return true;
  case AccessOp::Select:
    out = a > 0 ? b : regs[instr.c];
    return true;
  }
  return false;
}

std::optional<ByteBox>
mkrt::format::evaluateAccess(const AccessEntry &entry,
                             std::span<const AccessInstr> code, uint64_t tile,
                             std::span<const int64_t> dims) {
  // Programs of real kernels are short; longer ones pay for an allocation.
  std::array<int64_t, 256> local;
  std::vector<int64_t> heap;
  int64_t *regs = local.data();
  if (entry.instrCount > local.size()) {
    heap.resize(entry.instrCount);
    regs = heap.data();
  }
  regs[0] = 0; // Read, for nothing, by instructions without registers.
  const AccessInstr *first = code.data() + entry.firstInstr;
  for (unsigned i = 0; i < entry.instrCount; ++i)
    if (!step(first[i], regs, tile, dims, regs[i]))
      return std::nullopt;

  ByteBox box;
  box.offset = regs[entry.offset];
  box.innerBytes = regs[entry.innerBytes];
  box.rank = entry.rank;
  for (unsigned k = 0; k < entry.rank; ++k) {
    box.size[k] = regs[entry.size[k]];
    box.stride[k] = regs[entry.stride[k]];
  }
  return box;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string reg(unsigned i) { return "%" + std::to_string(i); }

std::string mkrt::format::printAccess(const AccessEntry &entry,
                                      std::span<const AccessInstr> code) {
  std::string text;
  for (unsigned i = 0; i < entry.instrCount; ++i) {
    const AccessInstr &instr = code[entry.firstInstr + i];
    const OpInfo &info = kOps[size_t(instr.op)];
    text += reg(i) + " = " + std::string(info.name);
    if (instr.op == AccessOp::Constant || instr.op == AccessOp::Dim)
      text += " " + std::to_string(instr.imm);
    const uint16_t regs[] = {instr.a, instr.b, instr.c};
    for (unsigned k = 0; k < info.registers; ++k)
      text += (k ? ", " : " ") + reg(regs[k]);
    text += "\n";
  }
  static constexpr std::string_view modes[] = {"", "read", "write",
                                               "readwrite"};
  text += std::string(modes[unsigned(entry.mode)]) + " operand " +
          std::to_string(entry.operand) + ": offset " + reg(entry.offset);
  for (unsigned k = 0; k < entry.rank; ++k)
    text += ", " + reg(entry.size[k]) + " x stride " + reg(entry.stride[k]);
  return text + ", " + reg(entry.innerBytes) + " bytes\n";
}
