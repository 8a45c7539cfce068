//===- TeamReduction.h - Reductions by teams of threads -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/variant/ThreadBuilder.h"

namespace mkc::cuda {

/// Shared memory that teams combine their partial results in: a value of 8
/// bytes per thread for each of two values.
inline constexpr int64_t kTeamBytes = 2 * 8 * kTileThreads;

/// What is reduced. All functions emit code; values are scalars.
struct TeamReducer {
  /// The partial result of nothing.
  std::function<llvm::SmallVector<mlir::Value>()> identity;
  /// A partial result with the element at a point of all loops added.
  std::function<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<Index> point,
                                               mlir::ValueRange partial)>
      accumulate;
  /// Of two partial results, the first of earlier elements or of interleaved
  /// ones. Must be associative and commutative up to rounding.
  std::function<llvm::SmallVector<mlir::Value>(mlir::ValueRange a,
                                               mlir::ValueRange c)>
      combine;
  /// Stores a result.
  std::function<void(llvm::ArrayRef<Index> point, mlir::ValueRange total)>
      finish;
  /// The part of a reduction loop that counts, given the loops outside it; the
  /// whole range if not set.
  std::function<LoopRange(unsigned loop, llvm::ArrayRef<Index> point)> clip;
};

/// A nest with its loops divided: results are shared out over `parallel`, and
/// each is computed by a team of threads that shares loop `team` out among its
/// members, lane by lane, and runs the loops `serial` in each.
struct TeamNest {
  llvm::SmallVector<LoopRange> ranges;
  llvm::SmallVector<int64_t> sizes; ///< Upper bounds of the ranges.
  llvm::SmallVector<unsigned> parallel, serial;
  std::optional<unsigned> team;
  int64_t teamSize = 1; ///< A power of two, at most kTileThreads.
};

/// Divides the loops of a nest: teams are as large as leaves no thread idle,
/// and a warp's width where neighbouring threads then read neighbouring
/// elements.
TeamNest planTeams(llvm::ArrayRef<LoopRange> ranges,
                   llvm::ArrayRef<int64_t> sizes,
                   llvm::ArrayRef<bool> isParallel,
                   llvm::ArrayRef<LinearAccess> inputs,
                   llvm::ArrayRef<LinearAccess> results);

/// Emits the reduction. Partial results of a team are combined as a tree of
/// fixed shape in the first kTeamBytes of shared memory, so the bits of a
/// result depend on shapes only.
void reduceInTeams(ThreadBuilder &tb, const TeamNest &nest,
                   const TeamReducer &reducer);

} // namespace mkc::cuda
