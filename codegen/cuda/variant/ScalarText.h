//===- ScalarText.h - Scalar ops as CUDA C++ ------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace mkc::cuda {

/// The device library's name of a scalar type: float, f16, i32, u8, bool, ...
std::string scalarType(mlir::Type type);

/// A constant of such a type, or of index, which has 64 bits if `wideIndex`,
/// else 32.
std::string literal(mlir::Attribute value, bool wideIndex);

/// The value of an op of arith or math with one result, for operands that are
/// given as expressions; nullopt if it has no text. Integers wrap, and dividing
/// by 0 gives 0.
std::optional<std::string>
scalarExpression(mlir::Operation &op, llvm::ArrayRef<std::string> operands,
                 bool wideIndex);

} // namespace mkc::cuda
