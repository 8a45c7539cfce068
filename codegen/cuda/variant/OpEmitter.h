//===- OpEmitter.h - One structured op by the threads of a tile -----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/variant/TeamReduction.h"
#include "codegen/tile/LoopNest.h"

#include "mlir/Support/LLVM.h"

namespace mkc::cuda {

using codegen::TiledOp;

/// The generic path: every level-2 op, with its parallel loops shared out among
/// the threads. Emits no sync at the begin and none at the end.
mlir::LogicalResult emitOp(ThreadBuilder &tb, const TiledOp &op);

/// linalg.generic and linalg.fill.
mlir::LogicalResult emitGeneric(ThreadBuilder &tb, const TiledOp &op);
/// nn.contract and nn.pool: sums or maxima over windows.
mlir::LogicalResult emitWindows(ThreadBuilder &tb, const TiledOp &op);
mlir::LogicalResult emitGather(ThreadBuilder &tb, const TiledOp &op);
mlir::LogicalResult emitArgReduce(ThreadBuilder &tb, const TiledOp &op);

/// Upper bounds of the sizes of a tile's loops.
llvm::SmallVector<int64_t> upperBounds(const TiledOp &op);

} // namespace mkc::cuda
