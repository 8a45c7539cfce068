// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests that an elementwise op is one generic: an identity output map, broadcast dims read at 0, missing leading dims
// dropped from the map.

// CHECK: #[[ID:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK: #[[ROW:.+]] = affine_map<(d0, d1, d2) -> (0, d2)>
// CHECK-LABEL: func @main
// CHECK-SAME: %[[X:.+]]: tensor<2x3x4xf32> {onnx.name = "x"}, %[[Y:.+]]: tensor<1x4xf32>{{.*}}) -> (tensor<2x3x4xf32> {onnx.name = "z"})
func.func @main(%x: tensor<2x3x4xf32> {onnx.name = "x"}, %y: tensor<1x4xf32>) -> (!onnx.unknown {onnx.name = "z"}) {
  // CHECK: %[[INIT:.+]] = tensor.empty() : tensor<2x3x4xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]], iterator_types = ["parallel", "parallel", "parallel"]}
  // CHECK-SAME: ins(%[[X]], %[[Y]] : tensor<2x3x4xf32>, tensor<1x4xf32>) outs(%[[INIT]]
  // CHECK: arith.addf
  %z = onnx.node "Add"(%x, %y) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3x4xf32>, tensor<1x4xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

// Tests that a splat is a scalar constant of the body, not an operand.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<2x3xf32>) -> !onnx.unknown {
  %two = onnx.initializer "two" : tensor<1x3xf32> = dense<2.0> : tensor<1x3xf32>
  // CHECK: linalg.generic {{.*}} ins(%{{[a-z0-9]+}} : tensor<2x3xf32>)
  // CHECK: %[[TWO:.+]] = arith.constant 2.0{{.*}} : f32
  // CHECK: arith.divf %{{.+}}, %[[TWO]]
  %z = onnx.node "Div"(%x, %two) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3xf32>, tensor<1x3xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

// Tests that integer division is guarded against 0 and -1, unless the divisor is a constant that is neither.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (!onnx.unknown, !onnx.unknown) {
  %three = onnx.initializer "three" : tensor<i32> = dense<3> : tensor<i32>
  // CHECK: linalg.generic
  // CHECK: arith.cmpi eq
  // CHECK: %[[SAFE:.+]] = arith.select
  // CHECK: arith.divsi %{{.+}}, %[[SAFE]]
  %a = onnx.node "Div"(%x, %y) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<4xi32>, tensor<4xi32>) -> !onnx.unknown
  // CHECK: linalg.generic
  // CHECK-NOT: arith.select
  // CHECK: arith.divsi
  // CHECK-NOT: arith.select
  // CHECK: return
  %b = onnx.node "Div"(%x, %three) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<4xi32>, tensor<i32>) -> !onnx.unknown
  return %a, %b : !onnx.unknown, !onnx.unknown
}

// -----

// Tests that powers with common constant exponents need no power function.

// CHECK-LABEL: func @main
// CHECK-NOT: math.powf
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: return
func.func @main(%x: tensor<4xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %two = onnx.initializer "two" : tensor<f32> = dense<2.0> : tensor<f32>
  %three = onnx.initializer "three" : tensor<i64> = dense<3> : tensor<i64>
  %half = onnx.initializer "half" : tensor<f32> = dense<0.5> : tensor<f32>
  %inverse = onnx.initializer "inverse" : tensor<f32> = dense<-1.0> : tensor<f32>
  %a = onnx.node "Pow"(%x, %two) {node_attributes = {}, domain = "", opset = 15 : i64} : (tensor<4xf32>, tensor<f32>) -> !onnx.unknown
  %b = onnx.node "Pow"(%x, %three) {node_attributes = {}, domain = "", opset = 15 : i64} : (tensor<4xf32>, tensor<i64>) -> !onnx.unknown
  %c = onnx.node "Pow"(%x, %half) {node_attributes = {}, domain = "", opset = 15 : i64} : (tensor<4xf32>, tensor<f32>) -> !onnx.unknown
  %d = onnx.node "Pow"(%x, %inverse) {node_attributes = {}, domain = "", opset = 15 : i64} : (tensor<4xf32>, tensor<f32>) -> !onnx.unknown
  return %a, %b, %c, %d : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

// Tests the two kinds of Gelu, and that NaN propagates through Relu and Clip.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<4xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  // CHECK: math.erf
  %a = onnx.node "Gelu"(%x) {node_attributes = {}, domain = "", opset = 20 : i64} : (tensor<4xf32>) -> !onnx.unknown
  // CHECK: math.tanh
  %b = onnx.node "Gelu"(%x) {node_attributes = {approximate = "tanh"}, domain = "", opset = 20 : i64} : (tensor<4xf32>) -> !onnx.unknown
  // CHECK: arith.maximumf
  %c = onnx.node "Relu"(%x) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<4xf32>) -> !onnx.unknown
  // CHECK: arith.maximumf
  // CHECK: arith.minimumf
  %d = onnx.node "Clip"(%x) {node_attributes = {min = 0.0 : f32, max = 6.0 : f32}, domain = "", opset = 6 : i64} : (tensor<4xf32>) -> !onnx.unknown
  return %a, %b, %c, %d : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}
