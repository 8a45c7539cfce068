//===- LoopClasses.h - Loops that several ops can be tiled by -------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/nn/Structured.h"

namespace mkc::nn {

/// Structured ops in SSA order that are to run tile by tile as one kernel. A
/// class is a set of parallel loops, one of each op, that index the values
/// passed between the ops alike: a tile of the class needs nothing of another
/// tile. All other loops run whole in every tile.
struct LoopClasses {
  /// Number of the loop's class or -1, per op and loop.
  llvm::SmallVector<llvm::SmallVector<int>> classOf;
  /// Extents of the classes, in the order of the last op's loops.
  llvm::SmallVector<int64_t> extents;

  /// Product of the extents.
  int64_t tiles() const;
};

LoopClasses findLoopClasses(llvm::ArrayRef<Structured> ops);

} // namespace mkc::nn
