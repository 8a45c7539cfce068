//===- TensorImport.h - ONNX tensors as attributes ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/onnx/ImportContext.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace mkc::onnx {

/// Tensors of at most this many bytes become dense attributes.
constexpr uint64_t maxDenseBytes = 64 * 1024;

/// Imports a TensorProto: as `#mk.weight` where the file, or the external data,
/// holds more than `maxDenseBytes` as plain little-endian elements, else as a
/// dense attribute. The bytes present must be those that the dims need.
llvm::FailureOr<mlir::TypedAttr>
importTensor(const ImportContext &import, mlir::Location loc,
             const mkrt::io::TensorProtoView &tensor);

/// Imports a SparseTensorProto as a sparse elements attribute.
llvm::FailureOr<mlir::TypedAttr>
importSparseTensor(const ImportContext &import, mlir::Location loc,
                   const proto::SparseTensor &sparse);

} // namespace mkc::onnx
