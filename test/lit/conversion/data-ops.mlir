// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests Slice: attributes up to opset 9, inputs after; a negative step is a reversed read.

// CHECK: #[[REVERSED:.+]] = affine_map<(d0) -> (-d0 + 8)>
// CHECK-LABEL: func @main
// CHECK-SAME: %[[X:.+]]: tensor<10xf32>
func.func @main(%x: tensor<10xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %start = onnx.initializer "start" : tensor<1xi64> = dense<1> : tensor<1xi64>
  %end = onnx.initializer "end" : tensor<1xi64> = dense<9223372036854775807> : tensor<1xi64>
  %axis = onnx.initializer "axis" : tensor<1xi64> = dense<-1> : tensor<1xi64>
  %three = onnx.initializer "three" : tensor<1xi64> = dense<3> : tensor<1xi64>
  %eight = onnx.initializer "eight" : tensor<1xi64> = dense<8> : tensor<1xi64>
  %low = onnx.initializer "low" : tensor<1xi64> = dense<-9223372036854775807> : tensor<1xi64>
  // CHECK: tensor.extract_slice %[[X]][2] [5] [1]
  %a = onnx.node "Slice"(%x) {node_attributes = {starts = array<i64: 2>, ends = array<i64: -3>}, domain = "", opset = 9 : i64} : (tensor<10xf32>) -> !onnx.unknown
  // CHECK: tensor.extract_slice %[[X]][1] [3] [3]
  %b = onnx.node "Slice"(%x, %start, %end, %axis, %three) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  // CHECK: linalg.generic {indexing_maps = [#[[REVERSED]], #{{.+}}]{{.*}} outs(%{{.+}} : tensor<9xf32>)
  %c = onnx.node "Slice"(%x, %eight, %low, %axis, %axis) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  return %a, %b, %c : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

// Tests Split: sizes as an attribute, as an input, and equal parts of which the last is smaller from opset 18 on.

// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<1xf32>, tensor<4xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>)
func.func @main(%x: tensor<5xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %sizes = onnx.initializer "sizes" : tensor<2xi64> = dense<[2, 3]> : tensor<2xi64>
  %a:2 = onnx.node "Split"(%x) {node_attributes = {split = array<i64: 1, 4>}, domain = "", opset = 11 : i64} : (tensor<5xf32>) -> (!onnx.unknown, !onnx.unknown)
  %b:2 = onnx.node "Split"(%x, %sizes) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<5xf32>, tensor<2xi64>) -> (!onnx.unknown, !onnx.unknown)
  %c:2 = onnx.node "Split"(%x) {node_attributes = {num_outputs = 2 : i64}, domain = "", opset = 18 : i64} : (tensor<5xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %a#0, %a#1, %b#0, %b#1, %c#0, %c#1 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

// Tests that Gather with constant indices is a slice if they are evenly spaced, and an nn.gather if not.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<5x4xf32>, %i: tensor<2x3xi64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %last = onnx.initializer "last" : tensor<i64> = dense<-1> : tensor<i64>
  %some = onnx.initializer "some" : tensor<3xi64> = dense<[0, 3, 1]> : tensor<3xi64>
  // CHECK: %[[ROW:.+]] = tensor.extract_slice %{{.+}}[4, 0] [1, 4] [1, 1]
  // CHECK: tensor.collapse_shape %[[ROW]] {{.*}} into tensor<4xf32>
  %a = onnx.node "Gather"(%x, %last) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<5x4xf32>, tensor<i64>) -> !onnx.unknown
  // CHECK: nn.gather {{.*}} {axis = 1 : i64} : (tensor<5x4xf32>, tensor<3xi64>) -> tensor<5x3xf32>
  %b = onnx.node "Gather"(%x, %some) {node_attributes = {axis = 1 : i64}, domain = "", opset = 13 : i64} : (tensor<5x4xf32>, tensor<3xi64>) -> !onnx.unknown
  // CHECK: nn.gather {{.*}} -> tensor<2x3x4xf32>
  %c = onnx.node "Gather"(%x, %i) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<5x4xf32>, tensor<2x3xi64>) -> !onnx.unknown
  return %a, %b, %c : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

// Tests that Pad is a concatenation with a fill.

// CHECK-LABEL: func @main
// CHECK-SAME: %[[X:.+]]: tensor<2x3xf32>
func.func @main(%x: tensor<2x3xf32>) -> !onnx.unknown {
  // CHECK: %[[FILL:.+]] = arith.constant dense<1.0{{.*}}> : tensor<2x2xf32>
  // CHECK: tensor.concat dim(1) %[[X]], %[[FILL]]
  %y = onnx.node "Pad"(%x) {node_attributes = {pads = array<i64: 0, 0, 0, 2>, value = 1.0 : f32}, domain = "", opset = 2 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests that Dropout is the identity, and its mask true.

// CHECK-LABEL: func @main
// CHECK-SAME: %[[X:.+]]: tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK: %[[MASK:.+]] = arith.constant dense<true> : tensor<2xi1>
  // CHECK: return %[[X]], %[[MASK]]
  %y:2 = onnx.node "Dropout"(%x) {node_attributes = {}, domain = "", opset = 12 : i64} : (tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %y#0, %y#1 : !onnx.unknown, !onnx.unknown
}

// -----

// Tests that a dim that pads crop to nothing is empty in every mode.
// CHECK-LABEL: func @main
// CHECK-SAME: -> tensor<0x4xf32>
func.func @main(%x: tensor<3x4xf32>) -> !onnx.unknown {
  %p = onnx.initializer "p" : tensor<4xi64> = dense<[-3, 0, 0, 0]> : tensor<4xi64>
  %y = onnx.node "Pad"(%x, %p) {node_attributes = {mode = "wrap"}, domain = "", opset = 19 : i64} : (tensor<3x4xf32>, tensor<4xi64>) -> !onnx.unknown
  return %y : !onnx.unknown
}
