//===- Variant.h - A kernel's code for a GPU ------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/tile/TileGrid.h"
#include "target/CudaChip.h"

namespace mkc::cuda {

/// Unit attribute of a variant's operand that lies in the weights, so that it
/// may be read through the read-only path.
inline constexpr llvm::StringLiteral kWeightAttr = "mk.weight";

/// Builds the mk.variant of `kernel` for a chip and operands with the given
/// strides, at the builder's insertion point: scalar code that all threads of a
/// block run together. `isWeight` tells per operand whether it lies in the
/// weights. A remark at `loc`, the launch's, tells the choices. Fails with a
/// diagnostic.
mlir::FailureOr<mk::VariantOp>
buildVariant(mlir::OpBuilder &builder, const CudaChip &chip,
             mk::KernelOp kernel, const codegen::OperandStrides &strides,
             llvm::ArrayRef<bool> isWeight, llvm::StringRef name,
             mlir::Location loc);

} // namespace mkc::cuda
