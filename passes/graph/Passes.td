//===- Passes.td - Passes on the graph at level 2 --------------*- tablegen -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MKC_PASSES_GRAPH_PASSES_TD
#define MKC_PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def SinkTransposesPass : Pass<"nn-sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "Moves transposes down through the graph until they cancel";
  let description = [{
    A transpose is a `linalg.generic` that only permutes. It moves down through every op that can work in
    the permuted layout as well: generics (whose other operands' maps are permuted), concatenations, slices and
    reshapes that keep the moved dims apart; reductions, `nn.contract` and `nn.pool` absorb it in
    their maps. Two that meet compose, and often cancel: between the convolutions of a CNN,
    which are channels-last, nothing is left. A transpose that reaches an op that needs the original layout is emitted before that
    op. Work on constants stays as it is: it is done while compiling.

    ```mlir
    #perm = affine_map<(n, c, h, w) -> (n, h, w, c)>
    #id = affine_map<(a, b, c, d) -> (a, b, c, d)>
    %1 = linalg.generic {indexing_maps = [#perm, #id], ...} ins(%x : tensor<1x8x8x4xf32>) ...   // to NCHW
    %2 = linalg.generic {indexing_maps = [#id, #id], ...} ins(%1 : tensor<1x4x8x8xf32>) ...     // Relu
    %3 = linalg.generic {indexing_maps = [#back, #id], ...} ins(%2 : tensor<1x4x8x8xf32>) ...   // to NHWC
    ```

    becomes

    ```mlir
    %2 = linalg.generic {indexing_maps = [#id, #id], ...} ins(%x : tensor<1x8x8x4xf32>) ...     // Relu
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::mkc::nn::NnDialect"
  ];
}

#endif // MKC_PASSES_GRAPH_PASSES_TD
