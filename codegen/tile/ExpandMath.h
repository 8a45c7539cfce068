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

namespace mkc::host {

/// A pass on functions that replaces transcendental functions by polynomials on
/// vectors: host code calls no library for them.
std::unique_ptr<mlir::Pass> createExpandMathPass();

} // namespace mkc::host
