//===- Passes.td - Variants for a GPU -------------------------*- tablegen -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MKC_CODEGEN_CUDA_VARIANT_PASSES_TD
#define MKC_CODEGEN_CUDA_VARIANT_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectCudaVariantsPass : Pass<"mk-select-cuda-variants", "mlir::ModuleOp"> {
  let summary = "Build a variant for a GPU for every launch of a run";
  let description = [{
    Launches of one kernel with the same strides and the same operands among the weights share a
    variant: its tiles, its code for the threads of a block, and the access programs of its operands.
    Launches at compile time are left: they run on the host.

    Before: `mk.launch @k0(...) {strides = [array<i64: 8, 1>, ...]}`.
    After: `mk.variant @k0_sm0 ... {target = "sm_90a:h200", ...} { scalar code }` and `mk.launch @k0_sm0(...)`.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "architecture, or architecture:chip">
  ];
  let dependentDialects = [
    "mkc::mk::MkDialect", "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect"];
}

#endif // MKC_CODEGEN_CUDA_VARIANT_PASSES_TD
