//===- mk-opt.cpp - mlir-opt for the project's dialects and passes --------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/Passes.h"
#include "codegen/host/Passes.h"
#include "dialects/Register.h"
#include "passes/conversion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/kernels/Passes.h"
#include "passes/schedule/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mkc::registerDialects(registry);
  mkc::registerKernelsPasses();
  mkc::registerSchedulePasses();
  mkc::registerHostCodegenPasses();
  mkc::registerCudaVariantPasses();
  mlir::registerTransformsPasses();
  mkc::registerGraphPasses();
  mkc::registerConversionPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mkc optimiser driver\n", registry));
}
