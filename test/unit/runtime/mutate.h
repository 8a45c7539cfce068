//===- mutate.h - Damaging schedules --------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"

#include <optional>
#include <random>
#include <string>

namespace mkrt::test {

using Random = std::mt19937_64;

/// A number in [0, count).
inline uint64_t pick(Random &random, uint64_t count) {
  return std::uniform_int_distribution<uint64_t>(0, count - 1)(random);
}

/// Changes one thing in a schedule as a wrong scheduler might: drops a wait,
/// changes an amount or a target, swaps records or moves one to another queue,
/// shifts, grows or shrinks an access, flips read and write, uses another
/// counter or operand, drops an edge consistently, changes a range of tiles,
/// moves a value of the arena or the state with all its operands, gives a
/// record another opcode or hand-off.
/// Returns what it did; nullopt if the kind that was drawn does not fit the
/// schedule. Works on packages of any size.
std::optional<std::string> mutate(format::PackageParts &parts, Random &random);

} // namespace mkrt::test
