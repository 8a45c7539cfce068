// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests that a node computes in f32 and rounds once.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<2x3xf16>, %y: tensor<3xf16>) -> !onnx.unknown {
  // CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<2x3xf16>, tensor<3xf16>) outs(%{{.+}} : tensor<2x3xf16>)
  // CHECK: %[[A:.+]] = arith.extf %{{.+}} : f16 to f32
  // CHECK: %[[B:.+]] = arith.extf %{{.+}} : f16 to f32
  // CHECK: %[[SUM:.+]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK: %[[ROUNDED:.+]] = arith.truncf %[[SUM]] : f32 to f16
  // CHECK: linalg.yield %[[ROUNDED]] : f16
  // CHECK-NOT: linalg.generic
  %z = onnx.node "Add"(%x, %y) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3xf16>, tensor<3xf16>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

// Tests that reductions read f16 and add in f32, and that only the last op of a node rounds.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<2x3xbf16>) -> !onnx.unknown {
  // CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<2x3xbf16>) outs(%{{.+}} : tensor<2xf32>)
  // CHECK: %[[X:.+]] = arith.extf
  // CHECK: arith.maximumf %{{.+}}, %[[X]]
  // CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<2x3xbf16>, tensor<2xf32>) outs(%{{.+}} : tensor<2x3xf32>)
  // CHECK: math.exp
  // CHECK-NOT: arith.truncf
  // CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<2x3xf32>) outs(%{{.+}} : tensor<2xf32>)
  // CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<2x3xbf16>)
  // CHECK: arith.divf
  // CHECK: arith.truncf
  // CHECK-NOT: linalg.generic
  %y = onnx.node "Softmax"(%x) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3xbf16>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests that a convolution reads f16, gives f32, and is rounded with its bias, before it is moved.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<1x3x8x8xf16>, %w: tensor<4x3x3x3xf16>, %b: tensor<4xf16>) -> !onnx.unknown {
  // CHECK: nn.contract {{.*}} : (tensor<1x8x8x3xf16>, tensor<3x3x3x4xf16>) -> tensor<1x6x6x4xf32>
  // CHECK: linalg.generic {{.*}} : tensor<1x6x6x4xf32>, tensor<4xf16>) outs(%{{.+}} : tensor<1x6x6x4xf16>)
  // CHECK: arith.addf
  // CHECK: arith.truncf
  // CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<1x6x6x4xf16>) outs(%{{.+}} : tensor<1x4x6x6xf16>)
  // CHECK-NEXT: ^bb0(%[[IN:.+]]: f16, %{{.+}}: f16):
  // CHECK-NEXT: linalg.yield %[[IN]] : f16
  %y = onnx.node "Conv"(%x, %w, %b) {node_attributes = {}, domain = "", opset = 11 : i64} : (tensor<1x3x8x8xf16>, tensor<4x3x3x3xf16>, tensor<4xf16>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests that operators that move elements neither extend nor round them.

// CHECK-LABEL: func @main
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: arith.select %{{.+}}, %{{.+}}, %{{.+}} : bf16
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @main(%c: tensor<4xi1>, %x: tensor<4xbf16>, %y: tensor<4xbf16>, %i: tensor<2xi64>) -> (!onnx.unknown, !onnx.unknown) {
  %w = onnx.node "Where"(%c, %x, %y) {node_attributes = {}, domain = "", opset = 16 : i64} : (tensor<4xi1>, tensor<4xbf16>, tensor<4xbf16>) -> !onnx.unknown
  %g = onnx.node "Gather"(%w, %i) {node_attributes = {}, domain = "", opset = 13 : i64} : (!onnx.unknown, tensor<2xi64>) -> !onnx.unknown
  return %w, %g : !onnx.unknown, !onnx.unknown
}

// -----

// Tests that what is extended only to be read is read as it is: casts between the model's types cost no memory.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<4x8xf16>, %w: tensor<8x5xf32>) -> !onnx.unknown {
  // CHECK: nn.contract {{.*}} : (tensor<4x8xf16>, tensor<8x5xf32>) -> tensor<4x5xf32>
  // CHECK-NOT: linalg.generic
  %f = onnx.node "Cast"(%x) {node_attributes = {to = 1 : i64}, domain = "", opset = 13 : i64} : (tensor<4x8xf16>) -> !onnx.unknown
  %y = onnx.node "MatMul"(%f, %w) {node_attributes = {}, domain = "", opset = 13 : i64} : (!onnx.unknown, tensor<8x5xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests that constants are rounded like what they would be computed with.

// CHECK-LABEL: func @main
func.func @main() -> (!onnx.unknown, !onnx.unknown) {
  // 1 + 2^-11 ties to 1, 3 * (1 + 2^-11) ties upwards; 65504 * 2 overflows.
  %a = onnx.initializer "a" : tensor<3xf32> = dense<[1.00048828125, 1.00146484375, 65520.0]> : tensor<3xf32>
  // CHECK-DAG: arith.constant dense<[1.000000e+00, 1.001950e+00, 0x7C00]> : tensor<3xf16>
  %h = onnx.node "Cast"(%a) {node_attributes = {to = 10 : i64}, domain = "", opset = 13 : i64} : (tensor<3xf32>) -> !onnx.unknown
  // CHECK-DAG: arith.constant dense<[1.000000e+00, 1.000000e+00, 6.553600e+04]> : tensor<3xbf16>
  %b = onnx.node "Cast"(%a) {node_attributes = {to = 16 : i64}, domain = "", opset = 13 : i64} : (tensor<3xf32>) -> !onnx.unknown
  return %h, %b : !onnx.unknown, !onnx.unknown
}

// -----

// Tests that the mean that LayerNormalization gives has the type of stash_type, not that of x.

// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<2x4xf16>, tensor<2x1xf32>)
func.func @main(%x: tensor<2x4xf16>, %s: tensor<4xf16>) -> (!onnx.unknown, !onnx.unknown) {
  %y:2 = onnx.node "LayerNormalization"(%x, %s) {node_attributes = {}, domain = "", opset = 17 : i64} : (tensor<2x4xf16>, tensor<4xf16>) -> (!onnx.unknown, !onnx.unknown)
  return %y#0, %y#1 : !onnx.unknown, !onnx.unknown
}
