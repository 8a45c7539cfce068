//===- Diagnostics.h - Diagnostics with node names ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/FailureKind.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace mkc::driver {

/// Prints a context's diagnostics, while it lives, as
///
///   model.onnx: error: message in node '/layer1/Add' (Add)
///
/// with the file and the node of the location. Notes follow on lines of their
/// own. Diagnostics of other threads are printed whole, one after the other.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::raw_ostream &out);

  /// Learns the operator types of a module's nodes, to print them later, when
  /// the nodes are no more.
  void learnNodes(mlir::ModuleOp module);

  /// The gravest kind of the errors since the last call; those that say
  /// nothing, and a failure without any error, are of the kind `orElse`.
  FailureKind takeFailure(FailureKind orElse);

  /// Remarks are printed only if asked for.
  void setShowRemarks(bool show) { showRemarks = show; }
  /// Called before something is printed.
  void setBeforePrint(std::function<void()> action) {
    beforePrint = std::move(action);
  }

private:
  void print(mlir::Diagnostic &diagnostic);
  void printPlace(mlir::Location loc);

  llvm::raw_ostream &out;
  llvm::StringMap<std::string> operatorTypes;
  bool showRemarks = false;
  std::optional<FailureKind> marked; ///< The gravest of the errors' own kinds.
  bool hasUnmarked = false;
  std::function<void()> beforePrint;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace mkc::driver
