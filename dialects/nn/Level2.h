//===- Level2.h - The rules of level 2 ------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace mkc::nn {

/// Checks one op of a function on tensors against the vocabulary of level 2,
/// and reports the first rule that it breaks. docs/ir.md numbers the rules:
///
/// (L1) The op is in the vocabulary.
/// (L2) Tensors have a static shape and elements of f32, f16, bf16, i32, i64
/// or i1.
/// (L3) A constant is dense.
/// (L4) `outs` of a generic is a tensor.empty, or for reductions a fill of one
///      with a scalar constant.
/// (L5) Results of an input map are dims, constants, or `d * c0 + c1`.
/// (L6) Output maps are projected permutations; the identity without
///      reductions.
/// (L7) The body holds arith and math ops, linalg.index, and no regions; what
///      it takes from outside is a scalar constant.
/// (L8) Slices have static offsets and sizes, positive strides, and keep the
///      rank.
/// (L9) tensor.empty is used as `outs` only, and fills have a scalar constant.
/// (L10) Nothing is computed in f16 or bf16: in a body, only conversions and
///      arith.select take or give them.
llvm::LogicalResult verifyLevel2(mlir::Operation *op);

/// True for an op of a body that breaks (L10).
bool computesInHalf(mlir::Operation &op);

/// (L2)
bool isLevel2Type(mlir::Type type);

} // namespace mkc::nn
