//===- VerifyKernels.h - Check a kernel -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/mk/Mk.h"

namespace mkc {

/// Checks that a kernel takes and gives static tensors of level 2 and holds
/// structured ops, scalars and tensor.empty only. Fails with a diagnostic.
mlir::LogicalResult verifyKernel(mk::KernelOp kernel);

} // namespace mkc
