//===- Variant.h - A kernel's code for the host ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/host/Tiling.h"

namespace mkc::host {

/// Builds the mk.variant of `kernel` for the host and operands with the given
/// strides, at the builder's insertion point. A remark at `loc`, the launch's,
/// tells the choices. Fails with a diagnostic.
mlir::FailureOr<mk::VariantOp>
buildVariant(mlir::OpBuilder &builder, HostMachine machine, mk::KernelOp kernel,
             const codegen::OperandStrides &strides, llvm::StringRef name,
             mlir::Location loc);

} // namespace mkc::host
