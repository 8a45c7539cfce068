//===- mk-opt.cpp - mlir-opt for the project's dialects and passes --------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Register.h"
#include "passes/conversion/Passes.h"
#include "passes/graph/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mkc::registerDialects(registry);
  mlir::registerTransformsPasses();
  mkc::registerConversionPasses();
  mkc::registerGraphPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mkc optimiser driver\n", registry));
}
