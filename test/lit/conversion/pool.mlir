// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests that pooling is channels last.

// CHECK: #[[X:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4 - 1, d2 * 2 + d5 - 1, d3)>
// CHECK-LABEL: func @main
// CHECK: nn.pool max %{{.+}} {extents = array<i64: 1, 4, 4, 3, 3, 3>, maps = [#[[X]], #{{.+}}]}
func.func @main(%x: tensor<1x3x8x8xf32>) -> !onnx.unknown {
  %y = onnx.node "MaxPool"(%x) {node_attributes = {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}, domain = "", opset = 12 : i64} : (tensor<1x3x8x8xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests the divisors of an average: exact counts where windows reach into the padding, one scalar where it counts.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<1x3x4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK: nn.pool sum
  // CHECK: %[[COUNTS:.+]] = arith.constant dense<[2.000000e+00, 3.000000e+00, 3.000000e+00, 2.000000e+00]> : tensor<4xf32>
  // CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[COUNTS]]
  // CHECK: arith.divf
  %y = onnx.node "AveragePool"(%x) {node_attributes = {kernel_shape = array<i64: 3>, pads = array<i64: 1, 1>}, domain = "", opset = 11 : i64} : (tensor<1x3x4xf32>) -> !onnx.unknown
  // CHECK: nn.pool sum
  // CHECK: %[[THREE:.+]] = arith.constant 3.0{{.*}} : f32
  // CHECK: arith.divf %{{.+}}, %[[THREE]]
  %z = onnx.node "AveragePool"(%x) {node_attributes = {kernel_shape = array<i64: 3>, pads = array<i64: 1, 1>, count_include_pad = 1 : i64}, domain = "", opset = 11 : i64} : (tensor<1x3x4xf32>) -> !onnx.unknown
  return %y, %z : !onnx.unknown, !onnx.unknown
}

// -----

// Tests that ceil_mode keeps a window that reaches past the end, but none that starts there.

// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<1x1x3xf32>, tensor<1x1x2xf32>)
func.func @main(%x: tensor<1x1x6xf32>, %small: tensor<1x1x2xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %y = onnx.node "MaxPool"(%x) {node_attributes = {kernel_shape = array<i64: 3>, strides = array<i64: 2>, ceil_mode = 1 : i64}, domain = "", opset = 12 : i64} : (tensor<1x1x6xf32>) -> !onnx.unknown
  %z = onnx.node "MaxPool"(%small) {node_attributes = {kernel_shape = array<i64: 1>, strides = array<i64: 2>, pads = array<i64: 1, 1>, ceil_mode = 1 : i64}, domain = "", opset = 12 : i64} : (tensor<1x1x2xf32>) -> !onnx.unknown
  return %y, %z : !onnx.unknown, !onnx.unknown
}

// -----

// Tests that a global average is a reduction.

// CHECK-LABEL: func @main
// CHECK-NOT: nn.pool
// CHECK: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK: arith.divf
func.func @main(%x: tensor<1x3x4x4xf32>) -> !onnx.unknown {
  %y = onnx.node "GlobalAveragePool"(%x) {node_attributes = {}, domain = "", opset = 1 : i64} : (tensor<1x3x4x4xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}
