//===- ImportContext.h - What every part of an import shares --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/onnx/Proto.h"
#include "compiler/onnx/WeightFiles.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace mkc::onnx {

/// The file that is being imported, and how to report what is wrong with it.
class ImportContext {
public:
  /// `folder` holds the external data; without one there may be none.
  ImportContext(mlir::MLIRContext &context, llvm::StringRef fileName,
                llvm::StringRef fileBytes, std::optional<std::string> folder,
                WeightStore &store)
      : context(&context), fileName(fileName), fileBytes(fileBytes),
        folder(std::move(folder)), store(store) {}

  mlir::MLIRContext *const context;
  const llvm::StringRef fileName, fileBytes;
  const std::optional<std::string> folder;
  WeightStore &store;

  mlir::Location nodeLocation(llvm::StringRef name, unsigned index) const;
  mlir::Location valueLocation(llvm::StringRef name) const;
  /// The file as a whole.
  mlir::Location fileLocation() const;

  /// Reads a message; what is wrong with its bytes becomes a diagnostic.
  template <typename T>
  mlir::LogicalResult read(mlir::Location loc, proto::Message message,
                           T &to) const {
    if (std::optional<WireError> error = proto::read(message, to))
      return report(loc, *error);
    return mlir::success();
  }

  mlir::LogicalResult report(mlir::Location loc, WireError error) const;
};

} // namespace mkc::onnx
