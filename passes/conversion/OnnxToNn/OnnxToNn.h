//===- OnnxToNn.h - From the imported graph to level 2 --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace mkc {

/// Something in a model that this version can't compile.
struct Unsupported {
  std::string domain, opType;
  int64_t opset = 0;
  /// The element type that isn't supported, or empty if the operator isn't.
  std::string type;
  std::string node;
};

struct ConvertOptions {
  /// Shapes of graph inputs by name; inputs that aren't here must have static
  /// types.
  llvm::StringMap<llvm::SmallVector<int64_t>> inputShapes;
  /// Values of graph inputs by name that the code is made for: the input keeps
  /// its place in the signature, but isn't read. Needed for the inputs that
  /// `inputsThatShapesNeed` names.
  llvm::StringMap<mlir::DenseElementsAttr> inputValues;
};

/// All operators and element types of the model that the table of operators
/// lacks, subgraphs included.
std::vector<Unsupported> collectUnsupported(mlir::ModuleOp module);

/// The names of the inputs of `@main` whose values, not only shapes, decide the
/// shapes in the graph or which elements ops touch: a Reshape's shape that is
/// an input, or is computed from one.
std::vector<std::string> inputsThatShapesNeed(mlir::ModuleOp module);

/// Converts `@main` to level 2 in place. What isn't supported is reported as a
/// diagnostic each, before anything is changed, and appended to `unsupported`
/// if that isn't null.
mlir::LogicalResult
convertOnnxToNn(mlir::ModuleOp module, const ConvertOptions &options,
                std::vector<Unsupported> *unsupported = nullptr);

} // namespace mkc
