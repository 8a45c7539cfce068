//===- Passes.td - Conversions between levels of IR -----------*- tablegen -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MKC_PASSES_CONVERSION_PASSES_TD
#define MKC_PASSES_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertOnnxToNnPass : Pass<"convert-onnx-to-nn", "::mlir::ModuleOp"> {
  let summary = "Converts the imported graph to level 2";
  let description = [{
    Converts each `onnx.node` at its own opset to the ops that docs/ir.md lists. Inputs have static shapes, so
    that each value's shape is known: shapes are computed on the way, and integer arithmetic on them folds.
    All operators and element types that aren't supported are reported before anything is changed.

    ```mlir
    func.func @main(%x: tensor<?x4xf32> {onnx.name = "x"}) -> !onnx.unknown {
      %y = onnx.node "Relu"(%x) {node_attributes = {}, domain = "", opset = 17 : i64}
        : (tensor<?x4xf32>) -> !onnx.unknown
      return %y : !onnx.unknown
    }
    ```

    becomes, with `input-shapes=x=2x4`:

    ```mlir
    #map = affine_map<(d0, d1) -> (d0, d1)>
    func.func @main(%x: tensor<2x4xf32> {onnx.name = "x"}) -> tensor<2x4xf32> {
      %0 = tensor.empty() : tensor<2x4xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<2x4xf32>) outs(%0 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %zero = arith.constant 0.0 : f32
        %2 = arith.maximumf %in, %zero : f32
        linalg.yield %2 : f32
      } -> tensor<2x4xf32>
      return %1 : tensor<2x4xf32>
    }
    ```
  }];
  let options = [
    ListOption<"inputShapes", "input-shapes", "std::string", "shapes of graph inputs: name=2x3,...">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::mkc::nn::NnDialect", "::mkc::mk::MkDialect"
  ];
}

#endif // MKC_PASSES_CONVERSION_PASSES_TD
