//===- ElementTypes.h - Types of elements in memory and in arithmetic -----===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace mkc::nn {

/// f16 and bf16: elements are stored and moved in these types, and nothing is
/// computed in them.
inline bool isHalf(mlir::Type type) { return type.isF16() || type.isBF16(); }

/// The type that elements of `type` are computed in: f32 for f16 and bf16, for
/// others the type itself.
inline mlir::Type computeType(mlir::Type type) {
  return isHalf(type) ? mlir::Float32Type::get(type.getContext()) : type;
}

} // namespace mkc::nn
