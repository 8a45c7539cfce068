//===- Structured.h - Any level-2 op as a loop nest -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace mkc::nn {

/// How a tensor is indexed by the points of a loop nest: one expression per dim
/// of the tensor, or null where the index depends on data (any element of that
/// dim). Indices may leave the tensor where the op says so (zero padding).
struct IndexMap {
  llvm::SmallVector<mlir::AffineExpr> exprs;
};

/// Fusion, tiling and code generation see every structured op this way.
struct Structured {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<int64_t> extents; ///< Per loop.
  llvm::SmallVector<bool> parallel;   ///< Per loop; the others are reductions.
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<IndexMap> inputMaps;
  llvm::SmallVector<mlir::Value> results;
  llvm::SmallVector<IndexMap> resultMaps;

  unsigned rank() const { return extents.size(); }
  /// Points of the loop nest.
  int64_t points() const;
  bool hasReduction() const;
};

/// The loop nest of a linalg.generic, linalg.fill, nn.contract, nn.pool,
/// nn.arg_pool, nn.gather or nn.arg_reduce; nullopt for any other op.
std::optional<Structured> getStructured(mlir::Operation *op);

/// The dim that `expr` is, if it is a plain dim.
std::optional<unsigned> asDim(mlir::AffineExpr expr);

/// Coefficient of dim `d` in `expr`, a sum of dims times constants and
/// constants.
int64_t coefficientOf(mlir::AffineExpr expr, unsigned d);

/// Constant term of such a sum.
int64_t constantOf(mlir::AffineExpr expr);

} // namespace mkc::nn
