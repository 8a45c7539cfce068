//===- Oracle.h - A brute-force judge of schedules ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"

#include <string>

namespace mkrt::test {

/// What is wrong with a schedule, in the order in which it is looked for.
enum class Verdict : uint8_t {
  Sound,
  Unknown, ///< A record whose meaning is not known: no run, or other hand-offs.
  Access, ///< An access overflows, leaves its space, or writes a read-only one.
  Totals, ///< A wait's target is not the sum of the signals.
  Deadlock, ///< Executing the schedule gets stuck.
  Rank,
  Race,
};

/// Judges a schedule by executing it and by comparing accesses to common bytes,
/// with reachability between all records as bitsets. It shares runtime/format
/// with the verifier: the reader of packages, the interpreter of access
/// programs
/// (`evaluateAccess`) and the ends of a box (`ByteBox::hull`), which
/// AccessProgramTest tests by themselves. A mistake there would mislead both.
/// With `allPairs`, every conflicting pair of
/// every single byte is looked at; without, the bytes between two edges of
/// accesses are looked at together, and each access is compared with the last
/// write and the reads since (enough, and usable for schedules of real models).
Verdict judge(const format::PackageView &view, bool allPairs = true);

std::string_view verdictName(Verdict verdict);

} // namespace mkrt::test
