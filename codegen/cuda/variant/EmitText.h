//===- EmitText.h - A variant as CUDA C++ ---------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/Toolchain.h"
#include "dialects/mk/Mk.h"

namespace mkc::cuda {

/// The module "k<id>.cu" of a variant for a GPU: its entry point
/// k<id>_compute, in the dialect of docs/cuda.md. Works on a copy of the
/// variant, in which math functions are expanded. Fails with a diagnostic on an
/// op that has no text.
mlir::FailureOr<CudaModule> emitModule(mk::VariantOp variant, unsigned id);

} // namespace mkc::cuda
