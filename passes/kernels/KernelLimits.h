//===- KernelLimits.h - How large a kernel may become ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace mkc {

/// Operands of a kernel, inputs and results together, that fusion and sharing
/// stay within.
constexpr size_t kMaxOperands = 16;

} // namespace mkc
