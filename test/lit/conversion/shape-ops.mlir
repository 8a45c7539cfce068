// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests that a reshape is one collapse and one expand, each only if it is needed, and that reshapes compose.

// CHECK-LABEL: func @main
// CHECK-SAME: %[[X:.+]]: tensor<4x6xf32>
func.func @main(%x: tensor<4x6xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %heads = onnx.initializer "heads" : tensor<3xi64> = dense<[0, 2, -1]> : tensor<3xi64>
  %other = onnx.initializer "other" : tensor<2xi64> = dense<[8, 3]> : tensor<2xi64>
  %back = onnx.initializer "back" : tensor<2xi64> = dense<[4, 6]> : tensor<2xi64>
  // CHECK: %[[A:.+]] = tensor.expand_shape %[[X]] {{\[}}[0], [1, 2]]
  %a = onnx.node "Reshape"(%x, %heads) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<4x6xf32>, tensor<3xi64>) -> !onnx.unknown
  // CHECK: %[[FLAT:.+]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1]]
  // CHECK: %[[B:.+]] = tensor.expand_shape %[[FLAT]] {{\[}}[0, 1]]
  %b = onnx.node "Reshape"(%a, %other) {node_attributes = {}, domain = "", opset = 14 : i64} : (!onnx.unknown, tensor<2xi64>) -> !onnx.unknown
  // CHECK: return %[[A]], %[[B]], %[[X]]
  %c = onnx.node "Reshape"(%b, %back) {node_attributes = {}, domain = "", opset = 14 : i64} : (!onnx.unknown, tensor<2xi64>) -> !onnx.unknown
  return %a, %b, %c : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

// Tests Squeeze and Unsqueeze with axes as an attribute and as an input, and Squeeze of all dims of 1.

// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<1x3xf32>, tensor<3x1xf32>, tensor<3xf32>, tensor<1x3x1x1xf32>)
func.func @main(%x: tensor<1x3x1xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %first = onnx.initializer "first" : tensor<1xi64> = dense<-3> : tensor<1xi64>
  %last = onnx.initializer "last" : tensor<1xi64> = dense<-1> : tensor<1xi64>
  %a = onnx.node "Squeeze"(%x) {node_attributes = {axes = array<i64: 2>}, domain = "", opset = 11 : i64} : (tensor<1x3x1xf32>) -> !onnx.unknown
  %b = onnx.node "Squeeze"(%x, %first) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<1x3x1xf32>, tensor<1xi64>) -> !onnx.unknown
  %c = onnx.node "Squeeze"(%x) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<1x3x1xf32>) -> !onnx.unknown
  %d = onnx.node "Unsqueeze"(%x, %last) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<1x3x1xf32>, tensor<1xi64>) -> !onnx.unknown
  return %a, %b, %c, %d : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

// Tests that a transpose is a generic with a permuted map, and a reshape if only dims of size 1 move.

// CHECK: #[[PERM:.+]] = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
// CHECK-LABEL: func @main
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x1x4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK: linalg.generic {indexing_maps = [#[[PERM]], #{{.+}}]
  %a = onnx.node "Transpose"(%x) {node_attributes = {perm = array<i64: 1, 2, 0>}, domain = "", opset = 13 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %b = onnx.node "Transpose"(%y) {node_attributes = {perm = array<i64: 1, 0, 2>}, domain = "", opset = 13 : i64} : (tensor<2x1x4xf32>) -> !onnx.unknown
  return %a, %b : !onnx.unknown, !onnx.unknown
}

// -----

// Tests Expand and Tile: broadcasts by maps.

// CHECK-DAG: #[[COLUMN:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[TILE:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func @main
func.func @main(%x: tensor<3x1xf32>, %y: tensor<3x4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %shape = onnx.initializer "shape" : tensor<2xi64> = dense<[1, 5]> : tensor<2xi64>
  %repeats = onnx.initializer "repeats" : tensor<2xi64> = dense<[1, 2]> : tensor<2xi64>
  // CHECK: linalg.generic {indexing_maps = [#[[COLUMN]], #{{.+}}]
  %a = onnx.node "Expand"(%x, %shape) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<3x1xf32>, tensor<2xi64>) -> !onnx.unknown
  // CHECK: linalg.generic {indexing_maps = [#[[TILE]], #{{.+}}]
  // CHECK: tensor.collapse_shape {{.*}} into tensor<3x8xf32>
  %b = onnx.node "Tile"(%y, %repeats) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  return %a, %b : !onnx.unknown, !onnx.unknown
}
