//===- Pipeline.cpp - The passes from level 2 to variants -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Pipeline.h"
#include "codegen/cuda/variant/Passes.h"
#include "codegen/host/Passes.h"
#include "dialects/Register.h"
#include "passes/graph/Passes.h"
#include "passes/kernels/Passes.h"
#include "passes/schedule/Passes.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mkc::addGraphPasses(OpPassManager &pm, bool packForHost) {
  pm.addNestedPass<func::FuncOp>(createNnVerifyPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createSinkTransposesPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (packForHost)
    pm.addNestedPass<func::FuncOp>(createPackContractionsPass());
  pm.addNestedPass<func::FuncOp>(createFuseElementwisePass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createNnVerifyPass());
}

void mkc::addKernelPasses(OpPassManager &pm) {
  pm.addPass(createFormKernelsPass());
  pm.addPass(createShareKernelsPass());
  pm.addPass(createVerifyKernelsPass());
}

void mkc::addBufferPasses(OpPassManager &pm) {
  pm.addPass(createPlaceBuffersPass());
  pm.addPass(createVerifyLaunchesPass());
}

void mkc::addHostVariantPasses(OpPassManager &pm, HostMachine machine) {
  SelectHostVariantsPassOptions options;
  options.vectorBytes = machine.vectorBytes;
  options.vectorRegisters = machine.vectorRegisters;
  options.convertsHalf = machine.convertsHalf;
  pm.addPass(createSelectHostVariantsPass(options));
  pm.addPass(createVerifyLaunchesPass());
}

void mkc::addCudaVariantPasses(OpPassManager &pm, const CudaChip &chip,
                               HostMachine machine) {
  SelectCudaVariantsPassOptions options;
  options.chip = chip.target();
  pm.addPass(createSelectCudaVariantsPass(options));
  addHostVariantPasses(pm, machine);
}

void mkc::registerEverything(DialectRegistry &registry) {
  registerDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}
