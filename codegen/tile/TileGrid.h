//===- TileGrid.h - A kernel's ops and the tiles that they run by ---------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/tile/LoopBuilder.h"
#include "dialects/mk/Mk.h"
#include "dialects/nn/LoopClasses.h"

#include <vector>

namespace mkc::codegen {

/// Strides in elements of each operand of a kernel: inputs, then results.
using OperandStrides = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// What every target's choice of tiles consists of. Tile t is a point of the
/// grid of classes, the last class fastest; the last tile of a class is cut to
/// the extent.
struct TileGrid {
  std::vector<nn::Structured> ops;
  nn::LoopClasses classes;
  llvm::SmallVector<int64_t> tile; ///< Per class: the size of a task's tile.

  int64_t tilesOf(unsigned c) const;
  int64_t tileCount() const;
  /// Per class, the part that tile `number` covers.
  llvm::SmallVector<LoopRange> rangesOf(LoopBuilder &lb, Index number) const;
};

/// Sets the ops and classes of `grid`. Fails with a diagnostic on an op that is
/// not structured.
mlir::LogicalResult findOps(mk::KernelOp kernel, TileGrid &grid);

/// Strides in elements of a value inside a kernel: an operand's, or dense.
llvm::SmallVector<int64_t> stridesOf(mk::KernelOp kernel, mlir::Value value,
                                     const OperandStrides &strides);

/// Rough cost of one point in flops; transcendental functions take about 20.
int64_t workPerPoint(const nn::Structured &op);

/// Types of the kernel's operands: inputs, then results.
llvm::SmallVector<mlir::RankedTensorType> operandTypes(mk::KernelOp kernel);

/// An operand as a variant's argument: its elements from the first to the last,
/// one-dimensional and of static size, so that it is passed as a plain pointer.
mlir::MemRefType flatType(mlir::RankedTensorType type,
                          llvm::ArrayRef<int64_t> strides);

} // namespace mkc::codegen
