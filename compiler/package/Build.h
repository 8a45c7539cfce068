//===- Build.h - From launches of variants to a package -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/host/Lower.h"
#include "compiler/evaluate/Weights.h"
#include "passes/schedule/Schedule.h"
#include "runtime/format/Package.h"

#include "mlir/IR/BuiltinOps.h"

namespace mkc {

struct BuildOptions {
  host::HostCpu cpu;
  unsigned jobs = 1; ///< Threads that compile kernels.
  schedule::Options schedule;
  std::string model; ///< Its name, for the manifest.
};

/// A package that is ready to be written or to be loaded from memory. Its
/// weights are views of `values` and of mapped files.
struct Package {
  mkrt::format::PackageParts parts;
  std::vector<mkrt::format::WeightPiece> weights;
  uint64_t weightBytes = 0;
  std::unique_ptr<WeightValues> values;
};

/// Compiles the variants, computes the weights, schedules the launches.
/// `module` is what mk-select-host-variants leaves. Fails with diagnostics. The
/// schedule is not checked here: run the verifier on the encoded bytes.
mlir::FailureOr<Package> buildPackage(mlir::ModuleOp module,
                                      onnx::WeightStore &store,
                                      const BuildOptions &options);

} // namespace mkc
