// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests that batch dims broadcast by the maps: x by the constant 0, w by a reshape that drops its dim.

// CHECK-DAG: #[[X:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (0, d1, d2, d4)>
// CHECK-DAG: #[[W:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>
// CHECK-DAG: #[[Y:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func @main
// CHECK-SAME: %[[A:.+]]: tensor<1x3x4x5xf32>, %[[B:.+]]: tensor<2x1x5x6xf32>
func.func @main(%a: tensor<1x3x4x5xf32>, %b: tensor<2x1x5x6xf32>) -> !onnx.unknown {
  // CHECK: %[[DROPPED:.+]] = tensor.collapse_shape %[[B]]
  // CHECK: nn.contract %[[A]], %[[DROPPED]] {extents = array<i64: 2, 3, 4, 6, 5>, maps = [#[[X]], #[[W]], #[[Y]]]}
  %y = onnx.node "MatMul"(%a, %b) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<1x3x4x5xf32>, tensor<2x1x5x6xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests that vectors lack their dim in the result.

// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<f32>, tensor<3xf32>, tensor<2x6xf32>)
func.func @main(%v: tensor<5xf32>, %m: tensor<3x5xf32>, %b: tensor<2x5x6xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  // CHECK: extents = array<i64: 5>
  %a = onnx.node "MatMul"(%v, %v) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<5xf32>, tensor<5xf32>) -> !onnx.unknown
  // CHECK: extents = array<i64: 3, 5>
  %c = onnx.node "MatMul"(%m, %v) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<3x5xf32>, tensor<5xf32>) -> !onnx.unknown
  // CHECK: extents = array<i64: 2, 6, 5>
  %d = onnx.node "MatMul"(%v, %b) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<5xf32>, tensor<2x5x6xf32>) -> !onnx.unknown
  return %a, %c, %d : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

// Tests that Gemm transposes in the maps and that alpha, beta and C cost a generic only where they matter.

// CHECK-DAG: #[[T:.+]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[WT:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func @main
func.func @main(%a: tensor<5x3xf32>, %b: tensor<4x5xf32>, %c: tensor<4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK: nn.contract %{{.+}}, %{{.+}} {extents = array<i64: 3, 4, 5>, maps = [#[[T]], #[[WT]], #{{.+}}]}
  // CHECK-NOT: linalg.generic
  %y = onnx.node "Gemm"(%a, %b, %c) {node_attributes = {transA = 1 : i64, transB = 1 : i64, beta = 0.0 : f32}, domain = "", opset = 13 : i64} : (tensor<5x3xf32>, tensor<4x5xf32>, tensor<4xf32>) -> !onnx.unknown
  // CHECK: nn.contract
  // CHECK: linalg.generic
  // CHECK: arith.constant 5.0{{.*}} : f32
  // CHECK: arith.addf
  %z = onnx.node "Gemm"(%a, %b, %c) {node_attributes = {transA = 1 : i64, transB = 1 : i64, alpha = 0.5 : f32}, domain = "", opset = 13 : i64} : (tensor<5x3xf32>, tensor<4x5xf32>, tensor<4xf32>) -> !onnx.unknown
  return %y, %z : !onnx.unknown, !onnx.unknown
}
