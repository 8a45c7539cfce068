//===- Tables.h - A package's tables --------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/package/Build.h"

namespace mkc {

/// Fills the tables of a package from @main: kernels with their accesses,
/// ports, weights, and the schedule.
class TableBuilder {
public:
  TableBuilder(mlir::ModuleOp module, mlir::func::FuncOp main, Package &package)
      : module(module), main(main), package(package) {}

  mlir::LogicalResult build(llvm::ArrayRef<llvm::StringRef> variants,
                            const schedule::Options &options);

private:
  void addKernel(mk::VariantOp variant);
  void addBuffers();
  void addLaunch(mk::LaunchOp launch);
  void addPorts(llvm::StringRef attribute);
  mlir::LogicalResult addSchedule(const schedule::Options &options);

  mlir::ModuleOp module;
  mlir::func::FuncOp main;
  Package &package;
  schedule::TaskGraph graph;
  llvm::StringMap<uint32_t> kernelNumber;
  llvm::DenseMap<mlir::Value, uint32_t> bufferNumber;
};

} // namespace mkc
