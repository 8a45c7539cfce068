//===- HostRun.h - Compiled functions against the interpreter -------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/graph/Build/NnBuilder.h"
#include "passes/graph/Interpreter/TensorValue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

#include <random>

namespace mkc::test {

/// A level-2 function that is run by the interpreter and, through all levels,
/// by the runtime.
class HostRun {
public:
  HostRun();

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      NnBuilder &, mlir::ValueRange)>;

  mlir::RankedTensorType tensor(llvm::ArrayRef<int64_t> shape,
                                mlir::Type element = {});
  /// Adds @main with the given inputs.
  void build(llvm::ArrayRef<mlir::RankedTensorType> inputs, Body body);

  /// Seeded values of a type; integers lie in [low, high].
  TensorValue random(mlir::RankedTensorType type, int64_t low = -3,
                     int64_t high = 3);

  /// Compiles @main and runs it with 1 and 3 threads: both must give the same
  /// bits, and the interpreter's results within `tolerance` (relative to 1).
  testing::AssertionResult agrees(llvm::ArrayRef<TensorValue> inputs,
                                  double tolerance = 2e-5);

  /// The CPU that code is made for.
  std::string cpu = "native";
  /// Kernels of the last compiled program.
  unsigned kernels = 0;
  /// The message of the last run that failed.
  std::string runError;
  mlir::MLIRContext context;
  std::mt19937 rng{7};

private:
  testing::AssertionResult compile(std::vector<std::byte> &bytes);

  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace mkc::test
