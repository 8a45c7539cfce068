//===- GraphBuilder.h - Task graphs for tests -----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/schedule/Schedule.h"
#include "runtime/format/Package.h"

#include <string>
#include <vector>

namespace mkc::test {

/// Builds a task graph by hand.
class GraphBuilder {
public:
  schedule::TaskGraph graph;
  uint64_t weightBytes = 0;

  uint32_t arena(uint64_t bytes);
  uint32_t input(uint64_t bytes);
  uint32_t output(uint64_t bytes);
  uint32_t weights(uint64_t bytes);

  /// `entries` refer to the code of `builder`.
  uint32_t kernel(uint32_t tiles, uint32_t operands,
                  const mkrt::format::AccessBuilder &builder,
                  std::vector<mkrt::format::AccessEntry> entries,
                  double cost = 100000);
  /// A kernel whose tile t writes bytes [t * size, (t + 1) * size) of operand 0
  /// and reads the same bytes of the other operands, or all bytes if `readAll`.
  uint32_t blocks(uint32_t tiles, uint32_t operands, int64_t size,
                  bool readAll = false);

  void dispatch(uint32_t kernel, std::vector<schedule::Operand> operands);

private:
  uint32_t buffer(mkrt::format::Space space, uint16_t index, uint64_t bytes,
                  uint64_t offset = 0);
  uint16_t inputs_ = 0, outputs_ = 0;
};

/// A scheduled graph as a package.
struct Scheduled {
  std::string error; ///< Of the scheduler or of PackageView::open.
  schedule::Schedule schedule;
  mkrt::format::PackageView view;
  std::vector<mkrt::format::Record> bytes; ///< Aligned to 16; behind `view`.
};

Scheduled scheduleOf(GraphBuilder &builder, const schedule::Options &options);

} // namespace mkc::test
