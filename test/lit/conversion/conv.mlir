// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests a convolution with stride 2, padding and bias: channels last, loops (n, h, w, k, r, s, c), padding in x's map.

// CHECK-DAG: #[[X:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4 - 1, d2 * 2 + d5 - 1, d6)>
// CHECK-DAG: #[[W:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-DAG: #[[Y:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func @main
func.func @main(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> !onnx.unknown {
  // CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<2x8x8x3xf32>)
  // CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<3x3x3x4xf32>)
  // CHECK: nn.contract %{{.+}}, %{{.+}} {extents = array<i64: 2, 4, 4, 4, 3, 3, 3>, maps = [#[[X]], #[[W]], #[[Y]]]}
  // CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<2x4x4x4xf32>)
  // CHECK: arith.addf
  %y = onnx.node "Conv"(%x, %w, %b) {node_attributes = {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}, domain = "", opset = 11 : i64} : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests a depthwise convolution: no sum over channels.

// CHECK-DAG: #[[X:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 + d3 * 2, d2)>
// CHECK-DAG: #[[W:.+]] = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-LABEL: func @main
// CHECK: nn.contract %{{.+}}, %{{.+}} {extents = array<i64: 1, 6, 4, 3>, maps = [#[[X]], #[[W]], #{{.+}}]}
func.func @main(%x: tensor<1x4x10xf32>, %w: tensor<4x1x3xf32>) -> !onnx.unknown {
  %y = onnx.node "Conv"(%x, %w) {node_attributes = {group = 4 : i64, dilations = array<i64: 2>}, domain = "", opset = 11 : i64} : (tensor<1x4x10xf32>, tensor<4x1x3xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests a grouped convolution: x is split to (..., g, c) and the result joined from (..., g, k).

// CHECK-LABEL: func @main
// CHECK: tensor.expand_shape {{.*}} tensor<1x10x6xf32> into tensor<1x10x2x3xf32>
// CHECK: nn.contract %{{.+}}, %{{.+}} {extents = array<i64: 1, 8, 2, 4, 3, 3>
// CHECK: tensor.collapse_shape {{.*}} tensor<1x8x2x4xf32> into tensor<1x8x8xf32>
func.func @main(%x: tensor<1x6x10xf32>, %w: tensor<8x3x3xf32>) -> !onnx.unknown {
  %y = onnx.node "Conv"(%x, %w) {node_attributes = {group = 2 : i64}, domain = "", opset = 11 : i64} : (tensor<1x6x10xf32>, tensor<8x3x3xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests that a 1x1 convolution is a matrix product over all pixels.

// CHECK-LABEL: func @main
// CHECK: tensor.collapse_shape {{.*}} into tensor<32x3xf32>
// CHECK: nn.contract %{{.+}}, %{{.+}} {extents = array<i64: 32, 5, 3>
// CHECK: tensor.expand_shape {{.*}} into tensor<2x4x4x5xf32>
func.func @main(%x: tensor<2x3x4x4xf32>, %w: tensor<5x3x1x1xf32>) -> !onnx.unknown {
  %y = onnx.node "Conv"(%x, %w) {node_attributes = {}, domain = "", opset = 11 : i64} : (tensor<2x3x4x4xf32>, tensor<5x3x1x1xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests auto_pad: the odd element of padding at the end, or at the beginning.

// CHECK-DAG: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d4)>
// CHECK-DAG: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3 - 1, d4)>
// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<1x2x5xf32>, tensor<1x2x5xf32>)
func.func @main(%x: tensor<1x3x5xf32>, %w: tensor<2x3x2xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %y = onnx.node "Conv"(%x, %w) {node_attributes = {auto_pad = "SAME_UPPER"}, domain = "", opset = 11 : i64} : (tensor<1x3x5xf32>, tensor<2x3x2xf32>) -> !onnx.unknown
  %z = onnx.node "Conv"(%x, %w) {node_attributes = {auto_pad = "SAME_LOWER"}, domain = "", opset = 11 : i64} : (tensor<1x3x5xf32>, tensor<2x3x2xf32>) -> !onnx.unknown
  return %y, %z : !onnx.unknown, !onnx.unknown
}
