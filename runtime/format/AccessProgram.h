//===- AccessProgram.h - Which bytes a kernel's tile touches --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access maps a tile index (and, for bounded dims, the values of dims) to
// one strided box of bytes, relative to the operand's first byte. It is a
// straight-line program of pure 64-bit index arithmetic: instruction i defines
// register i from earlier registers. The scheduler evaluates it to find
// dependencies, the verifier to prove them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mkrt::format {

enum class AccessOp : uint8_t {
  Constant = 0, ///< imm
  Tile = 1,     ///< The linear tile index.
  Dim = 2,      ///< The value of bounded dim number imm.
  Add = 3,      ///< a + b
  Mul = 4,      ///< a * b
  FloorDiv = 5, ///< floor(a / b); b must be positive
  Mod = 6,      ///< a - b * floor(a / b); b must be positive
  Min = 7,
  Max = 8,
  Select = 9, ///< a > 0 ? b : c
};

struct AccessInstr {
  AccessOp op;
  uint8_t reserved;
  uint16_t a, b, c; ///< Registers, each less than the instruction's own index.
  int64_t imm;
};
static_assert(sizeof(AccessInstr) == 16);

enum class AccessMode : uint8_t { Read = 1, Write = 2, ReadWrite = 3 };

inline constexpr unsigned kMaxBoxRank = 6;

/// One box of one operand. Registers are relative to `firstInstr`. The box is
/// offset + sum(i_k * stride_k) for 0 <= i_k < size_k, each followed by
/// `innerBytes` contiguous bytes. A size of 0 or less makes the box empty.
struct AccessEntry {
  uint32_t firstInstr;
  uint16_t instrCount;
  uint16_t operand;
  AccessMode mode;
  uint8_t rank;
  uint16_t offset;
  uint16_t innerBytes;
  uint16_t size[kMaxBoxRank];
  uint16_t stride[kMaxBoxRank];
  uint16_t reserved;
};
static_assert(sizeof(AccessEntry) == 40);

/// A box of bytes with concrete numbers. Dims in any order, strides of any
/// sign.
struct ByteBox {
  int64_t offset = 0;
  int64_t innerBytes = 0;
  unsigned rank = 0;
  int64_t size[kMaxBoxRank] = {};
  int64_t stride[kMaxBoxRank] = {};
  bool operator==(const ByteBox &) const = default;

  /// True if the box holds no byte.
  bool empty() const;
  /// The smallest [begin, end) that holds the box; nullopt if it overflows
  /// int64.
  std::optional<std::pair<int64_t, int64_t>> hull() const;
};

/// Checks that every register is defined before its use, every opcode is known
/// and register fields that an opcode does not use are 0. Returns an error
/// text, or an empty string. Evaluate only what passed.
std::string validateAccess(const AccessEntry &entry,
                           std::span<const AccessInstr> code);

/// Per instruction: the end of the longest run of instructions that starts
/// there and is valid access code, for accesses to share. Linear in the code,
/// however many accesses start where.
std::vector<uint32_t> validRunEnds(std::span<const AccessInstr> code);

/// The same with what `validRunEnds` says of the code: takes no longer for long
/// code.
std::string validateAccess(const AccessEntry &entry,
                           std::span<const AccessInstr> code,
                           std::span<const uint32_t> validRunEnds);

/// Evaluates a validated access for one tile. Fails (nullopt) on signed
/// overflow, on a divisor that is not positive and on a dim that `dims` does
/// not have.
std::optional<ByteBox> evaluateAccess(const AccessEntry &entry,
                                      std::span<const AccessInstr> code,
                                      uint64_t tile,
                                      std::span<const int64_t> dims = {});

/// Builds the code of accesses with structural sharing and constant folding.
/// Values are registers of one program that starts at `firstInstr`.
class AccessBuilder {
public:
  using Value = uint16_t;

  Value constant(int64_t v);
  Value tile();
  Value dim(unsigned number);
  Value add(Value a, Value b);
  Value mul(Value a, Value b);
  Value floorDiv(Value a, Value b);
  Value mod(Value a, Value b);
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  Value select(Value condition, Value ifPositive, Value otherwise);

  struct Dim {
    Value size, stride;
  };
  /// An entry of operand `operand` whose `firstInstr` is 0: `append` rebases
  /// it.
  AccessEntry entry(unsigned operand, AccessMode mode, Value offset,
                    std::span<const Dim> dims, Value innerBytes) const;

  std::span<const AccessInstr> code() const { return code_; }

private:
  Value emit(AccessOp op, Value a, Value b, Value c, int64_t imm);
  std::optional<int64_t> known(Value v) const;
  std::vector<AccessInstr> code_;
};

/// Readable form, one instruction per line and the box last.
std::string printAccess(const AccessEntry &entry,
                        std::span<const AccessInstr> code);

} // namespace mkrt::format
