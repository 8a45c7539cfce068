//===- Record.h - The task record: 128 bytes per scheduled task range -----===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain data shared by the scheduler, the verifier, the host workers and the
// device code. Nothing here may include anything but <cstdint>.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace mkrt::format {

/// What a worker does with a record. Values that are not listed, and listed
/// ones that a runtime does not implement, are refused when a package is
/// loaded.
enum class Opcode : uint8_t {
  Run = 1,   ///< Run a range of a kernel's tiles.
  Loop = 2,  ///< Reserved: repeat a section of every queue.
  Claim = 3, ///< Reserved: take tiles from a shared counter.
};

/// Where an operand's bytes live. `Weights` are read-only. `Input` and `Output`
/// carry the index of the program's input or output; both are the user's
/// memory.
enum class Space : uint8_t {
  Arena = 0,
  Weights = 1,
  State = 2,
  Input = 3,
  Output = 4,
};
inline constexpr unsigned kNumSpaces = 5;

/// A reference to bytes in a package: space (4 bits), index of the input or
/// output (16 bits, 0 for other spaces), byte offset (44 bits). A context
/// replaces it by an absolute address.
class OperandRef {
public:
  static constexpr uint64_t kMaxOffset = (uint64_t(1) << 44) - 1;

  constexpr OperandRef() = default;
  constexpr explicit OperandRef(uint64_t bits) : bits_(bits) {}
  constexpr OperandRef(Space space, uint16_t index, uint64_t offset)
      : bits_(uint64_t(space) << 60 | uint64_t(index) << 44 |
              (offset & kMaxOffset)) {}

  constexpr uint64_t bits() const { return bits_; }
  constexpr uint8_t rawSpace() const { return uint8_t(bits_ >> 60); }
  constexpr Space space() const { return Space(rawSpace()); }
  constexpr uint16_t index() const { return uint16_t(bits_ >> 44); }
  constexpr uint64_t offset() const { return bits_ & kMaxOffset; }
  constexpr bool operator==(const OperandRef &) const = default;

private:
  uint64_t bits_ = 0;
};

struct Wait {
  uint32_t counter;
  uint32_t target; ///< Always the sum of all amounts that signal the counter.
  constexpr bool operator==(const Wait &) const = default;
};

struct Signal {
  uint32_t counter;
  uint32_t amount;
  constexpr bool operator==(const Signal &) const = default;
};

/// How an operand's bytes reach the record (DESIGN: hand-off kinds).
enum class Handoff : uint8_t {
  Counter = 0,    ///< Global memory, ordered by a counter or the queue.
  FlagInData = 1, ///< Each word carries value and run number. Reserved.
  Page = 2,       ///< Same-SM shared-memory page. Reserved.
};

/// Refers to an entry of the per-run parameter table (signed 64-bit values).
/// A predicate of 0 skips the record's body; an extent of n skips its tiles
/// with index >= n. Skipped tiles still signal.
class ParameterSlot {
public:
  enum class Kind : uint8_t { None = 0, Predicate = 1, Extent = 2 };
  static constexpr uint16_t kMaxSlot = (1u << 14) - 1;

  constexpr ParameterSlot() = default;
  constexpr explicit ParameterSlot(uint16_t bits) : bits_(bits) {}
  constexpr ParameterSlot(Kind kind, uint16_t slot)
      : bits_(uint16_t(uint16_t(kind) << 14 | (slot & kMaxSlot))) {}

  constexpr uint16_t bits() const { return bits_; }
  constexpr uint8_t rawKind() const { return uint8_t(bits_ >> 14); }
  constexpr Kind kind() const { return Kind(rawKind()); }
  constexpr uint16_t slot() const { return bits_ & kMaxSlot; }
  constexpr bool operator==(const ParameterSlot &) const = default;

private:
  uint16_t bits_ = 0;
};

inline constexpr unsigned kMaxWaits = 4;
inline constexpr unsigned kMaxSignals = 2;
inline constexpr unsigned kInlineOperands = 6;

/// One entry of a queue. Runs tiles start, start + stride, ... (count of them)
/// of a kernel after all waits are met, then adds its signals. A kernel with
/// more than `kInlineOperands` operands keeps operands 0..4 here and the index
/// of its 6th in the package's operand table in `operands[5]`.
struct alignas(16) Record {
  Opcode opcode;
  uint8_t waitCount;
  uint8_t signalCount;
  uint8_t operandCount;
  uint32_t kernel;
  uint32_t tileStart;
  uint32_t tileCount;
  uint32_t tileStride;
  uint32_t rank; ///< Position in one topological order of all records.
  uint64_t operands[kInlineOperands];
  Wait waits[kMaxWaits];
  Signal signals[kMaxSignals];
  uint16_t parameter; ///< Bits of a ParameterSlot.
  Handoff handoff[kInlineOperands];
};
static_assert(sizeof(Record) == 128, "the record ABI is 128 bytes");
static_assert(alignof(Record) == 16);

} // namespace mkrt::format
