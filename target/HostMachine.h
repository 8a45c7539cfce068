//===- HostMachine.h - What code generation knows of a CPU ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mkc {

/// The vector unit of a CPU: what register tiles are made for.
struct HostMachine {
  unsigned vectorBytes;      ///< Widest vector that arithmetic is fast on.
  unsigned vectorRegisters;  ///< Architectural registers of that width.
  bool convertsHalf = false; ///< Instructions between f16 and f32 (F16C).

  /// f32 elements of a vector. Vectors of wider types take several registers.
  int64_t lanes() const { return vectorBytes / 4; }

  /// Accumulators of a contraction that stay in registers beside its operands.
  /// AVX-512 broadcasts scalars from memory within the multiply-add, and
  /// reaches its peak with half of its registers; AVX needs one register for
  /// the scalar and two for vectors of weights.
  int64_t accumulators() const { return vectorRegisters >= 32 ? 16 : 12; }
};

inline constexpr HostMachine kAvx512{64, 32, true};
inline constexpr HostMachine kAvx{32, 16};
inline constexpr HostMachine kSse{16, 16};

/// The machine of a CPU with the given flags (names as in /proc/cpuinfo).
inline HostMachine hostMachineOf(std::span<const std::string> flags) {
  auto has = [&](const char *flag) {
    for (const std::string &f : flags)
      if (f == flag)
        return true;
    return false;
  };
  HostMachine machine = has("avx512f") ? kAvx512 : has("avx") ? kAvx : kSse;
  machine.convertsHalf = has("f16c");
  return machine;
}

} // namespace mkc
