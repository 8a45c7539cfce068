//===- Import.h - Import of ONNX models -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads an ONNX file into the `onnx` dialect without loss of meaning. Weights
// stay where they are: the module refers to the file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mkc {

namespace onnx {
class WeightStore;
}

/// Imports the model in the file `path`. Null after an error, which is emitted
/// at the location of the node or value that is wrong.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef path,
                                             mlir::MLIRContext &context);

/// Imports a model that lies in memory. `name` stands for the file in locations
/// and in weights: give it to WeightStore::addMemory to resolve them. External
/// data is looked for in `folder`; without one it is refused.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef bytes,
                                             llvm::StringRef name,
                                             std::optional<std::string> folder,
                                             mlir::MLIRContext &context);

} // namespace mkc
