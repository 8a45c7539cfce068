//===- DataTypes.h - ONNX element types and their MLIR types ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/DataType.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace mkc::onnx {

/// The type of an element. Signed integers are signless in IR. A number that
/// this version does not know becomes `!onnx.elem<number>`.
mlir::Type elementType(mlir::MLIRContext *context,
                       mkrt::format::DataType dataType);

/// The number that `elementType` gives `type` for, or nothing if there is none.
std::optional<mkrt::format::DataType> dataTypeOf(mlir::Type type);

/// Bits of an element in a file, where elements narrower than a byte are
/// packed; 0 for strings and unknown types.
unsigned storedBits(mkrt::format::DataType dataType);

} // namespace mkc::onnx
