// RUN: mk-opt %s --convert-onnx-to-nn="input-shapes=x=2x4,s=" | FileCheck %s
// RUN: not mk-opt %s --convert-onnx-to-nn="input-shapes=x=2x4" 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not mk-opt %s --convert-onnx-to-nn 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not mk-opt %s --convert-onnx-to-nn="input-shapes=x=2x5,s=" 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not mk-opt %s --convert-onnx-to-nn="input-shapes=x=2,s=" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not mk-opt %s --convert-onnx-to-nn="input-shapes=x=2xb" 2>&1 | FileCheck %s --check-prefix=SYNTAX

// Tests that the option binds the shapes of inputs, and what is wrong with shapes that don't fit.

// CHECK-LABEL: func @main
// CHECK-SAME: (%{{.+}}: tensor<2x4xf32> {{{.+}}}, %{{.+}}: tensor<f32> {onnx.name = "s"}) -> tensor<2x4xf32>
// UNBOUND: error: input s has no shape, and none is given
// ALL: error: input x of type 'tensor<?x4xf32>' has unbound dims: 0 (batch)
// ALL: error: input s has no shape, and none is given
// SIZE: error: dim 1 of input x is given as 5, but is 4
// RANK: error: input x is given rank 1, but has rank 2
// SYNTAX: error: 'x=2xb' is no input shape such as x=2x3
func.func @main(%x: tensor<?x4xf32> {onnx.name = "x", onnx.dims = ["batch", 4]}, %s: tensor<*xf32> {onnx.name = "s"}) -> tensor<?x99xf32> {
  %y = onnx.node "Add"(%x, %s) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<?x4xf32>, tensor<*xf32>) -> tensor<?x99xf32>
  return %y : tensor<?x99xf32>
}
