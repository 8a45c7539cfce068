//===- TypeImport.h - ONNX types as MLIR types ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/onnx/ImportContext.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mkc::onnx {

/// A value's type as the file declares it.
struct DeclaredType {
  mlir::Type type;
  /// A number, a name or "" (anonymous) for each dim of a ranked tensor; null
  /// for other types.
  mlir::ArrayAttr dims;
};

/// Imports a TypeProto. Dims that the file names or leaves open are dynamic; a
/// tensor without a shape is unranked; without an element type, unknown.
llvm::FailureOr<DeclaredType> importType(const ImportContext &import,
                                         mlir::Location loc,
                                         std::optional<Message> message);

/// The type of a tensor whose data the file holds. Refuses negative dims, and
/// dims whose product overflows.
llvm::FailureOr<mlir::RankedTensorType>
tensorDataType(const ImportContext &import, mlir::Location loc,
               llvm::ArrayRef<int64_t> dims, mkrt::format::DataType dataType);

} // namespace mkc::onnx
