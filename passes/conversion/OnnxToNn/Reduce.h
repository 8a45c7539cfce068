//===- Reduce.h - Reductions that several operators are made of -----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/conversion/OnnxToNn/NodeConversion.h"
#include "passes/conversion/OnnxToNn/ScalarMath.h"

namespace mkc {

enum class ReduceKind { Sum, Product, Max, Min };

/// The value that doesn't change a reduction.
mlir::TypedAttr reductionInit(ReduceKind kind, mlir::Type element);

/// Reduces `x` over `axes`, which are dropped; each element goes through `map`
/// first, if there is one.
mlir::Value reduceWith(NodeConversion &c, mlir::Value x,
                       llvm::ArrayRef<int64_t> axes, ReduceKind kind,
                       mlir::Value (*map)(const ScalarMath &,
                                          mlir::Value) = nullptr);

/// The sum over `axes` divided by `count`.
mlir::Value meanOf(NodeConversion &c, mlir::Value x,
                   llvm::ArrayRef<int64_t> axes, int64_t count);

/// An elementwise op on `x` and a tensor that lacks the dims in `axes`.
mlir::Value combineReduced(NodeConversion &c, mlir::Value x,
                           mlir::Value reduced, llvm::ArrayRef<int64_t> axes,
                           NnBuilder::Body body);

/// `shape` with 1 at `axes`.
llvm::SmallVector<int64_t> keepDims(llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<int64_t> axes);

} // namespace mkc
