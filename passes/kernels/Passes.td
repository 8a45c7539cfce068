//===- Passes.td - From level-2 ops to kernels ----------------*- tablegen -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MKC_PASSES_KERNELS_PASSES_TD
#define MKC_PASSES_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseElementwisePass : Pass<"mk-fuse-elementwise", "mlir::func::FuncOp"> {
  let summary = "Merge elementwise generics into the generics that use them";
  let description = [{
    A generic without reductions moves into its consumer if that is its only user, and
    the consumer does not repeat costly work by it (a division or transcendental function that is
    broadcast), and if it does not turn weight-only work into work of every run.

    Before:
    ```mlir
    %a = linalg.generic ... ins(%x) { negf }
    %b = linalg.generic ... ins(%a, %y) { addf }
    ```
    After:
    ```mlir
    %b = linalg.generic ... ins(%x, %y) { negf, addf }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def PackContractionsPass : Pass<"mk-pack-contractions", "mlir::func::FuncOp"> {
  let summary = "Lay the w operand of contractions out in blocks of lanes";
  let description = [{
    The register tile of a contraction reads w as whole vectors, step by step along the
    reduction. This pass inserts the ops that bring w into that order: lane blocks outermost, then
    w's other dims, then the lanes of a block, padded with zeros to whole blocks. For a constant w
    they are weight-only work, done at compile time. A w made at run time is packed if it is reused often enough or if its
    lanes are not contiguous.

    Operands of f16 and bf16 are extended to f32 where they are used, or, if each value is used often enough, once before: x by an
    elementwise op, which fusion makes a part of what makes x, and w while it is packed. Remarks say which and why.

    Before: `w` is `tensor<3x3x64x100xf32>` with map `(r, s, c, k)`.
    After: `w` is `tensor<4x3x3x64x32xf32>` with map `(k floordiv 32, r, s, c, k mod 32)`.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def FormKernelsPass : Pass<"mk-form-kernels", "mlir::ModuleOp"> {
  let summary = "Group structured ops into kernels and dispatch them";
  let description = [{
    An elementwise op or reduction joins the kernel of a producer if both can run tile by
    tile (findLoopClasses) with enough tiles left, and if no value would have to leave the kernel and come back.
    Equal kernels are shared. Views (reshapes, slices), concatenations and constants stay outside.

    Before:
    ```mlir
    %m = linalg.generic ... maximum over the rows of %x
    %e = linalg.generic ... exp(%x - %m)
    ```
    After:
    ```mlir
    mk.kernel @k0(%x: tensor<64x32xf32>) -> tensor<64x32xf32> { both ops }
    %e = mk.dispatch @k0(%x) : (tensor<64x32xf32>) -> tensor<64x32xf32>
    ```
  }];
  let dependentDialects = ["mkc::mk::MkDialect"];
}

def ShareKernelsPass : Pass<"mk-share-kernels", "mlir::ModuleOp"> {
  let summary = "Merge kernels that differ in scalar constants alone";
  let description = [{
    Where kernels are equal but for scalar constants in the bodies of generics, the constants that
    differ become operands of rank 0, and one kernel is left. Constants that all of them share stay constants, and so do those
    that shape the code: divisors, factors of integers, exponents, what a fill or a reduction starts from.

    Before:
    ```mlir
    mk.kernel @k0(%x: tensor<64xf32>) ... { 0.1 * x where x < 0.0 }
    mk.kernel @k1(%x: tensor<64xf32>) ... { 0.2 * x where x < 0.0 }
    %a = mk.dispatch @k0(%x) : (tensor<64xf32>) -> tensor<64xf32>
    %b = mk.dispatch @k1(%a) : (tensor<64xf32>) -> tensor<64xf32>
    ```
    After:
    ```mlir
    mk.kernel @k0(%x: tensor<64xf32>, %s: tensor<f32>) ... { s * x where x < 0.0 }
    %s0 = arith.constant dense<0.1> : tensor<f32>
    %s1 = arith.constant dense<0.2> : tensor<f32>
    %a = mk.dispatch @k0(%x, %s0) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %b = mk.dispatch @k0(%a, %s1) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect"];
}

def VerifyKernelsPass : Pass<"mk-verify-kernels", "mlir::ModuleOp"> {
  let summary = "Check that a module is kernels and dispatches";
  let description = [{
    Changes nothing. @main holds dispatches, views (reshapes, slices), concatenations and constants;
    everything else at the top is a kernel, which holds structured ops, scalars and tensor.empty within the rules of level 2.

    ```mlir
    mk.kernel @k0(%x: tensor<4xf32>) -> tensor<2x2xf32> {
      %y = tensor.expand_shape %x ...    // error: 'tensor.expand_shape' op in kernel @k0 is no structured op
    ```
  }];
}

#endif // MKC_PASSES_KERNELS_PASSES_TD
