//===- RandomSchedule.h - Small schedules for tests -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"
#include "test/unit/runtime/mutate.h"

namespace mkrt::test {

/// A small schedule of one of several families: random strided boxes; layers of
/// tiles with halos and reused memory; columns and rows of matrices; a state
/// that is appended to. Edges are added until nothing races, but for one in
/// eight. Encode it without weight pieces and with `kRandomWeightBytes`.
format::PackageParts randomSchedule(Random &random);

inline constexpr uint64_t kRandomWeightBytes = 128;

} // namespace mkrt::test
