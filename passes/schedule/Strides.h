//===- Strides.h - Reshapes of strided tensors ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mkc {

/// Strides in elements of a tensor of shape `to` that has the elements of a
/// strided tensor of shape `from` in the same row-major order, without moving
/// any; nullopt if there are none.
std::optional<llvm::SmallVector<int64_t>>
reshapeStrides(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> strides,
               llvm::ArrayRef<int64_t> to);

/// Row-major strides.
llvm::SmallVector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape);

} // namespace mkc
