//===- Interpreter.h - Evaluates level-2 IR -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/graph/Interpreter/TensorValue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace mkc {

/// The values of SSA values during an evaluation.
using Environment = llvm::DenseMap<mlir::Value, TensorValue>;

/// Evaluates one op of level 2 (docs/ir.md), whose operands are in
/// `environment`, and stores its results there. It is the reference for what
/// the ops mean: element by element, in the order of the loops, f32 as IEEE
/// f32, f16 and bf16 extended to f32 where they are computed with; the sums of
/// nn.contract and nn.pool are accumulated in f64. Fails with a text for an
/// index out of range, a weight that can't be read, or an op that level 2
/// lacks.
mlir::LogicalResult evaluateOp(mlir::Operation *op, Environment &environment,
                               std::string &error);

/// Evaluates a function of level 2. Errors are emitted at the op.
mlir::FailureOr<llvm::SmallVector<TensorValue>>
evaluateFunction(mlir::func::FuncOp func,
                 llvm::ArrayRef<TensorValue> arguments);

/// Iteration points of `op`: a measure of the work to evaluate it.
int64_t countPoints(mlir::Operation *op);

} // namespace mkc
