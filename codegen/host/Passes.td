//===- Passes.td - Variants for the host ----------------------*- tablegen -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MKC_CODEGEN_HOST_PASSES_TD
#define MKC_CODEGEN_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectHostVariantsPass : Pass<"mk-select-host-variants", "mlir::ModuleOp"> {
  let summary = "Build a host variant for every launch and drop the kernels";
  let description = [{
    Launches of one kernel with the same strides share a variant: its tiles, its code on
    vectors, and the access programs of its operands.

    Before: `mk.launch @k0(...) {strides = [array<i64: 8, 1>, ...]}`.
    After: `mk.variant @k0_0 ... {tile_count = 4, ...} { vector code }` and `mk.launch @k0_0(...)`.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", "64", "width of the CPU's vectors">,
    Option<"vectorRegisters", "vector-registers", "unsigned", "32", "number of its vector registers">,
    Option<"convertsHalf", "converts-half", "bool", "true", "it has instructions between f16 and f32">
  ];
  let dependentDialects = [
    "mkc::mk::MkDialect", "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect"];
}

#endif // MKC_CODEGEN_HOST_PASSES_TD
