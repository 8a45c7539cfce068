//===- ScalarBody.h - The scalar computation of a generic -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/tile/LoopBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mkc::codegen {

/// A reduction whose result is combine(init, combine(...)) over the values that
/// the rest of the body computes.
struct ReductionBody {
  mlir::Operation *combiner;
  mlir::Value element;  ///< The combiner's operand that is no accumulator.
  mlir::TypedAttr init; ///< What the result starts from.
  mlir::TypedAttr identity;
};

/// Fails with a diagnostic if `op` has more than one accumulator, or no start.
mlir::FailureOr<ReductionBody> matchReductionBody(mlir::linalg::GenericOp op);

/// Emits the body of `op` on scalars, and returns what it yields. `arguments`
/// are the block arguments' values (those of accumulators included); `indexOf`
/// gives the value of linalg.index.
llvm::SmallVector<mlir::Value>
evaluateScalarBody(LoopBuilder &lb, mlir::linalg::GenericOp op,
                   mlir::ValueRange arguments,
                   llvm::function_ref<Index(unsigned)> indexOf);

} // namespace mkc::codegen
