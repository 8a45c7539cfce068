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

#endif // MKC_PASSES_GRAPH_PASSES_TD
