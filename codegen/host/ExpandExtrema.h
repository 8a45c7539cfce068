//===- ExpandExtrema.h - Maximum and minimum of floats --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

namespace mkc::host {

/// Rewrites arith.maximumf and arith.minimumf of a func.func, on scalars and
/// vectors, into what the CPU's own instructions compute, and what NaN needs
/// beside them. Zeros of either sign count as equal.
std::unique_ptr<mlir::Pass> createExpandExtremaPass();

} // namespace mkc::host
