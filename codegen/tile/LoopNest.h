//===- LoopNest.h - The loops that are emitted for a generic --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/tile/LoopBuilder.h"

namespace mkc::codegen {

/// A structured op with the memory of its operands and the part of its loops
/// that the tile covers.
struct TiledOp {
  nn::Structured nest;
  llvm::SmallVector<Memory> inputs, results;
  llvm::SmallVector<LoopRange> ranges; ///< Per loop.
};

/// A loop of the emitted nest: one loop of the op, or several merged.
struct Loop {
  LoopRange range;
  int64_t size; ///< Upper bound of the range's size.
  bool parallel;
  unsigned original; ///< The innermost op loop that it stands for.
};

struct LoopNest {
  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<LinearAccess> inputs, results;
};

/// The loops of `op` with the addresses of its operands. Unless the op asks for
/// its loops' indices, loops of one trip are left out and adjacent loops that
/// every operand walks as one are merged. Never empty: a scalar is a loop of
/// one trip.
LoopNest buildNest(LoopBuilder &lb, const TiledOp &op);

/// Upper bound of the size of loop `d` in a tile.
int64_t upperBound(const TiledOp &op, unsigned d);

} // namespace mkc::codegen
