//===- OpEmitter.h - One structured op inside a tile ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/host/ContractPlan.h"
#include "codegen/host/KernelBuilder.h"
#include "codegen/tile/LoopNest.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Support/LLVM.h"

namespace mkc::host {

/// A tile's op with the host's choices for it.
struct TileOp : codegen::TiledOp {
  /// Of an nn.contract with a parallel loop.
  const ContractPlan *plan = nullptr;

  /// Called for each vector of results instead of storing it, when an
  /// elementwise op is applied in registers: nn.contract only.
  const TileOp *epilogue = nullptr;
  /// Which input of the epilogue the result is.
  unsigned epilogueInput = 0;
};

/// Emits elementwise generics, fills and reductions.
mlir::LogicalResult emitGeneric(KernelBuilder &kb, const TileOp &op);
mlir::LogicalResult emitContract(KernelBuilder &kb, const TileOp &op);
mlir::LogicalResult emitPool(KernelBuilder &kb, const TileOp &op);
mlir::LogicalResult emitArgPool(KernelBuilder &kb, const TileOp &op);
mlir::LogicalResult emitGather(KernelBuilder &kb, const TileOp &op);
mlir::LogicalResult emitArgReduce(KernelBuilder &kb, const TileOp &op);

/// Any of the above.
mlir::LogicalResult emitOp(KernelBuilder &kb, const TileOp &op);

/// Evaluates a generic's body on vectors. `arguments` are the block arguments'
/// values; `point` and `laneLoop` give `linalg.index`.
llvm::SmallVector<mlir::Value> evaluateBody(KernelBuilder &kb,
                                            mlir::linalg::GenericOp op,
                                            mlir::ValueRange arguments,
                                            llvm::ArrayRef<Index> point,
                                            std::optional<unsigned> laneLoop);

/// The value, as a vector, of an operand that no loop of the nest moves; null
/// for others. It is loaded at the builder's point: outside the loops, once for
/// all of them.
mlir::Value loadIfFixed(KernelBuilder &kb, const LinearAccess &access);

/// The loop that vectors run along: the one with the least cost of memory
/// accesses per useful lane among `candidates`. Operands that no loop moves
/// cost nothing.
unsigned chooseLaneLoop(int64_t lanes, llvm::ArrayRef<LinearAccess> inputs,
                        llvm::ArrayRef<LinearAccess> results,
                        llvm::ArrayRef<int64_t> sizes,
                        llvm::ArrayRef<unsigned> candidates);

} // namespace mkc::host
