//===- Passes.td - Passes over whole graphs -------------------*- tablegen -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MKC_PASSES_GRAPH_PASSES_TD
#define MKC_PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def OnnxInlineFunctionsPass : Pass<"onnx-inline-functions", "mlir::ModuleOp"> {
  let summary = "Replaces calls of model-local functions by their bodies";
  let description = [{
    A node whose domain, operator type and overload name a `func.func` with the attribute `onnx.function` is a call. It
    is replaced by the function's nodes, in which `#onnx.ref` becomes the call's attribute, the function's default, or
    no attribute at all. Nested calls are inlined too, subgraphs included, and all functions are erased. Inputs that
    the call omits become `onnx.none`. Inlined nodes and their outputs are named `call/inner`.

    Before:

    ```mlir
    %y = onnx.node "Scale"(%x) {domain = "my", node_attributes = {by = 2.0 : f32}, ...} : (tensor<4xf32>) -> !onnx.unknown
    func.func private @"my:Scale"(%arg0: !onnx.unknown) -> !onnx.unknown attributes {onnx.function = ...} {
      %c = onnx.node "Constant"() {domain = "", node_attributes = {value_float = #onnx.ref<"by">}, ...} : () -> !onnx.unknown
      %m = onnx.node "Mul"(%arg0, %c) {domain = "", ...} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
      return %m : !onnx.unknown
    }
    ```

    After:

    ```mlir
    %c = onnx.node "Constant"() {domain = "", node_attributes = {value_float = 2.0 : f32}, ...} : () -> !onnx.unknown
    %y = onnx.node "Mul"(%x, %c) {domain = "", ...} : (tensor<4xf32>, !onnx.unknown) -> !onnx.unknown
    ```

    Recursion is an error, and so is a model that grows past `max-nodes`: a small file of functions that call each other
    several times may stand for any number of nodes.
  }];
  let options = [Option<"maxNodes", "max-nodes", "uint64_t", "1000000", "Most nodes that inlining may create">];
  let dependentDialects = ["mkc::onnx::OnnxDialect"];
}

def SinkTransposesPass : Pass<"nn-sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "Moves transposes down through the graph until they cancel";
  let description = [{
    A transpose is a `linalg.generic` that only permutes. It moves down through every op that can work in
    the permuted layout as well: generics (whose other operands' maps are permuted), concatenations, slices and
    reshapes that keep the moved dims apart; reductions, `nn.contract`, `nn.pool` and `nn.arg_pool` absorb it in
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

def NnVerifyPass : Pass<"nn-verify", "::mlir::func::FuncOp"> {
  let summary = "Checks that a function is at level 2";
  let description = [{
    Runs between the passes of level 2, and changes nothing. Refuses ops outside the vocabulary of
    docs/ir.md and breaches of its rules (L1) to (L9):

    ```mlir
    %y = tensor.pad %x low[1] high[1] { ... }   // error: 'tensor.pad' op (L1) is no op of level 2
    ```
  }];
}

#endif // MKC_PASSES_GRAPH_PASSES_TD
