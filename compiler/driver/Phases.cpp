//===- Phases.cpp - The named phases of a compilation ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Phases.h"

#include "compiler/pipeline/Pipeline.h"
#include "dialects/nn/Nn.h"
#include "passes/graph/Passes.h"
#include "passes/kernels/Passes.h"
#include "passes/schedule/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::driver;

static LogicalResult
runPasses(CompileState &state,
          llvm::function_ref<void(OpPassManager &)> addPasses) {
  PassManager passes(state.module->getContext());
  addPasses(passes);
  return passes.run(*state.module);
}

static LogicalResult inlineFunctions(CompileState &state) {
  return runPasses(state, [](OpPassManager &passes) {
    passes.addPass(createOnnxInlineFunctionsPass());
  });
}

static LogicalResult convert(CompileState &state) {
  if (failed(convertOnnxToNn(*state.module, state.inputs, &state.unsupported)))
    return failure();
  state.module->walk([&](nn::ContractOp op) {
    uint64_t flops = 2;
    for (int64_t extent : op.getExtents())
      flops *= extent;
    state.flops += flops;
  });
  return success();
}

static LogicalResult optimizeGraph(CompileState &state) {
  return runPasses(state, [&](OpPassManager &passes) {
    addGraphPasses(passes, /*packForHost=*/!state.chip);
  });
}

static LogicalResult formKernels(CompileState &state) {
  return runPasses(state, addKernelPasses);
}

static LogicalResult placeBuffers(CompileState &state) {
  return runPasses(state, addBufferPasses);
}

static LogicalResult selectVariants(CompileState &state) {
  return runPasses(state, [&](OpPassManager &passes) {
    HostMachine machine = hostMachineOf(state.build.cpu.required);
    if (state.chip)
      addCudaVariantPasses(passes, *state.chip, machine);
    else
      addHostVariantPasses(passes, machine);
  });
}

static LogicalResult makePackage(CompileState &state) {
  if (state.chip)
    return markFailure(state.module->emitError(), FailureKind::BadInput)
           << "this version writes no packages for a GPU: --emit-cuda=DIR "
              "writes the text of its kernels";
  FailureOr<Package> package =
      buildPackage(*state.module, state.weights, state.build);
  if (failed(package))
    return failure();
  state.package = std::move(*package);
  return success();
}

//===----------------------------------------------------------------------===//
// Checks of text
//===----------------------------------------------------------------------===//

/// What no phase can do without: @main with a body of one block.
static LogicalResult verifyMain(CompileState &state) {
  auto main = state.module->lookupSymbol<func::FuncOp>("main");
  if (!main)
    return state.module->emitError("has no function @main");
  if (!main.getBody().hasOneBlock())
    return main.emitError("has ")
           << main.getBody().getBlocks().size() << " blocks, expected 1";
  return success();
}

static LogicalResult verifyGraph(CompileState &state) {
  if (failed(verifyMain(state)))
    return failure();
  for (Operation &op : *state.module->getBody()) {
    auto func = dyn_cast<func::FuncOp>(op);
    if (!func || func.getSymName() != "main")
      return op.emitError("is not the function @main, which is all that level "
                          "2 has");
  }
  return runPasses(state, [](OpPassManager &passes) {
    passes.addNestedPass<func::FuncOp>(createNnVerifyPass());
  });
}

static LogicalResult verifyKernels(CompileState &state) {
  return runPasses(state, [](OpPassManager &passes) {
    passes.addPass(createVerifyKernelsPass());
  });
}

static LogicalResult verifyLaunches(CompileState &state) {
  return runPasses(state, [](OpPassManager &passes) {
    passes.addPass(createVerifyLaunchesPass());
  });
}

static constexpr Phase table[] = {
    {"onnx", "the imported graph, functions inlined", inlineFunctions,
     verifyMain, FailureKind::BadInput},
    {"nn", "structured ops on tensors of static shape", convert, verifyGraph,
     FailureKind::BadInput},
    {"graph", "layouts chosen, weights packed, elementwise work fused",
     optimizeGraph, verifyGraph, FailureKind::Internal},
    {"kernels", "kernels and their dispatches", formKernels, verifyKernels,
     FailureKind::Internal},
    {"buffers", "launches on buffers", placeBuffers, verifyLaunches,
     FailureKind::Internal},
    {"variants", "tiles and access programs for the target", selectVariants,
     verifyLaunches, FailureKind::Internal},
    {"package", "machine code, schedule and memory plan", makePackage, nullptr,
     FailureKind::Internal},
};

ArrayRef<Phase> mkc::driver::phases() { return table; }

const Phase *mkc::driver::findPhase(StringRef name) {
  const auto *phase = llvm::find_if(
      table, [&](const Phase &phase) { return phase.name == name; });
  return phase == std::end(table) ? nullptr : phase;
}

std::string mkc::driver::phaseNames() {
  return llvm::join(
      llvm::map_range(table, [](const Phase &phase) { return phase.name; }),
      ", ");
}
