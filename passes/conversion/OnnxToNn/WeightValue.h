//===- WeightValue.h - Tensors of the model's file as values --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/conversion/OnnxToNn/NodeConversion.h"

namespace mkc {

/// Emits a tensor attribute of level 1 at level 2: `arith.constant` if it is
/// small, read from the file if need be, else `mk.weight`. Fails with an error
/// at the builder's location.
mlir::FailureOr<mlir::Value> emitTensor(NnBuilder &builder,
                                        mlir::Attribute value);

/// Its element type, or null if it isn't a tensor.
mlir::Type tensorElementType(mlir::Attribute value);

} // namespace mkc
