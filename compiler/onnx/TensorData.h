//===- TensorData.h - The bytes of an ONNX tensor -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/onnx/ImportContext.h"
#include "runtime/io/Tensor.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace mkc::onnx {

/// A tensor's elements: little-endian, row-major, those narrower than a byte
/// packed from the low bits. They lie in a file, or were decoded from varints
/// or from scattered pieces.
struct TensorData {
  llvm::StringRef bytes;
  /// The file's name and the bytes' place in it; empty for decoded bytes.
  std::string file;
  uint64_t offset = 0;
  /// Holds the decoded bytes.
  mkrt::io::Tensor decoded;

  bool isInFile() const { return !file.empty(); }
};

/// Finds the bytes of a tensor of `count` elements in the message or in the
/// external data and checks their number. Of a data type without a known size
/// all bytes that are there are taken. Strings have none.
llvm::FailureOr<TensorData>
findTensorData(const ImportContext &import, mlir::Location loc,
               const mkrt::io::TensorProtoView &tensor, uint64_t count);

/// The elements as a dense attribute of `type`, of a data type of known size.
mlir::DenseElementsAttr toDense(const TensorData &data,
                                mkrt::format::DataType dataType,
                                mlir::RankedTensorType type);

} // namespace mkc::onnx
