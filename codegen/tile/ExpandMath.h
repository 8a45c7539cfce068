//===- ExpandMath.h - Transcendental functions as arithmetic ----*- C++ -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace mkc::codegen {

/// A pass on functions that replaces transcendental functions by polynomials on
/// the same scalars or vectors: no target's code calls a library for them.
std::unique_ptr<mlir::Pass> createExpandMathPass();

} // namespace mkc::codegen
