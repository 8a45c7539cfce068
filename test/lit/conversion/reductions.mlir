// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests that a reduction drops its dims and that a consumer reads the result by a map that omits them, keepdims or not.

// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[KEPT:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @main
// CHECK-SAME: %[[X:.+]]: tensor<2x3x4xf32>
func.func @main(%x: tensor<2x3x4xf32>) -> !onnx.unknown {
  // CHECK: %[[FILL:.+]] = linalg.fill {{.*}} -> tensor<2x3xf32>
  // CHECK: %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[ID]], #[[KEPT]]], iterator_types = ["parallel", "parallel", "reduction"]}
  // CHECK-SAME: ins(%[[X]] : tensor<2x3x4xf32>) outs(%[[FILL]]
  // CHECK: arith.addf
  // CHECK: %[[MEAN:.+]] = linalg.generic {{.*}} ins(%[[SUM]]
  // CHECK: arith.divf
  // CHECK-NOT: tensor.expand_shape
  // CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[KEPT]], #[[ID]]]{{.*}} ins(%[[X]], %[[MEAN]] : tensor<2x3x4xf32>, tensor<2x3xf32>)
  %mean = onnx.node "ReduceMean"(%x) {node_attributes = {axes = array<i64: -1>}, domain = "", opset = 13 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
  %y = onnx.node "Sub"(%x, %mean) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3x4xf32>, !onnx.unknown) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests Softmax since opset 13: one axis, as maximum, exponentials, sum, quotient.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<2x3x4xf32>) -> !onnx.unknown {
  // CHECK: iterator_types = ["parallel", "reduction", "parallel"]
  // CHECK: arith.maximumf
  // CHECK: iterator_types = ["parallel", "parallel", "parallel"]
  // CHECK: math.exp
  // CHECK: iterator_types = ["parallel", "reduction", "parallel"]
  // CHECK: arith.addf
  // CHECK: iterator_types = ["parallel", "parallel", "parallel"]
  // CHECK: arith.divf
  %y = onnx.node "Softmax"(%x) {node_attributes = {axis = 1 : i64}, domain = "", opset = 13 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests Softmax before opset 13: all dims from the axis on, 1 by default, on the tensor's own shape.

// CHECK-LABEL: func @main
// CHECK-NOT: collapse_shape
// CHECK: iterator_types = ["parallel", "reduction", "reduction"]
func.func @main(%x: tensor<2x3x4xf32>) -> !onnx.unknown {
  %y = onnx.node "Softmax"(%x) {node_attributes = {}, domain = "", opset = 11 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests where the axes come from: an input from opset 18 on, from 13 on for ReduceSum; all without any, unless
// noop_with_empty_axes says none.

// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<2x1xf32>, tensor<1x3xf32>, tensor<1x1xf32>, tensor<2x3xf32>)
func.func @main(%x: tensor<2x3xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %axis = onnx.initializer "axis" : tensor<1xi64> = dense<1> : tensor<1xi64>
  %a = onnx.node "ReduceSum"(%x, %axis) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<2x3xf32>, tensor<1xi64>) -> !onnx.unknown
  %b = onnx.node "ReduceMax"(%x) {node_attributes = {axes = array<i64: 0>}, domain = "", opset = 13 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  %c = onnx.node "ReduceL2"(%x) {node_attributes = {}, domain = "", opset = 18 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  %d = onnx.node "ReduceSum"(%x) {node_attributes = {noop_with_empty_axes = 1 : i64}, domain = "", opset = 18 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  return %a, %b, %c, %d : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}
