//===- Phases.h - The named phases of a compilation -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/package/Build.h"
#include "dialects/FailureKind.h"
#include "passes/conversion/OnnxToNn/OnnxToNn.h"
#include "target/CudaChip.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace mkc::driver {

/// What phases work on.
struct CompileState {
  CompileState(onnx::WeightStore &weights) : weights(weights) {}

  mlir::OwningOpRef<mlir::ModuleOp> module;
  ConvertOptions inputs; ///< Their shapes, and values that shapes depend on.
  BuildOptions build;
  onnx::WeightStore &weights;
  const CudaChip *chip = nullptr; ///< Null for the host.

  std::vector<Unsupported> unsupported;
  uint64_t flops = 0; ///< Of contractions, per run.
  std::optional<Package> package;
};

/// One step. `mkc compile --compile-to=NAME` stops behind it and prints the
/// module as text; `--compile-from=NAME` reads such text and goes on behind it.
struct Phase {
  llvm::StringLiteral name, description;
  mlir::LogicalResult (*run)(CompileState &);
  /// Checks text that claims to be what the phase prints, so that no later
  /// phase meets what it can't take. Fails with diagnostics.
  mlir::LogicalResult (*verify)(CompileState &);
  /// What an error means that does not say it.
  FailureKind onFailure;
};

/// In order. The first takes an imported model.
llvm::ArrayRef<Phase> phases();
/// Null if there is none of the name.
const Phase *findPhase(llvm::StringRef name);
/// The names, for help and errors.
std::string phaseNames();

} // namespace mkc::driver
