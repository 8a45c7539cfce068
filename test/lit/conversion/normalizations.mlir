// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests that inference BatchNormalization with constant statistics is one multiply-add per element.

// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[CHANNEL:.+]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func @main
func.func @main(%x: tensor<1x2x5xf32>) -> !onnx.unknown {
  %s = onnx.initializer "s" : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
  %b = onnx.initializer "b" : tensor<2xf32> = dense<[0.5, 1.0]> : tensor<2xf32>
  %m = onnx.initializer "m" : tensor<2xf32> = dense<[1.0, 1.0]> : tensor<2xf32>
  %v = onnx.initializer "v" : tensor<2xf32> = dense<[4.0, 16.0]> : tensor<2xf32>
  // CHECK: arith.constant dense<[0.000000e+00, 5.000000e-01]> : tensor<2xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[CHANNEL]], #[[ID]]]
  // CHECK: arith.constant 5.0{{.*}} : f32
  // CHECK: arith.mulf
  // CHECK-NEXT: arith.addf
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %y = onnx.node "BatchNormalization"(%x, %s, %b, %m, %v) {node_attributes = {epsilon = 0.0 : f32}, domain = "", opset = 15 : i64} : (tensor<1x2x5xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests LayerNormalization: generics on the tensor's own shape, and keepdims only for outputs that the model uses.

// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<2x3x4xf32>, tensor<2x3x1xf32>)
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK: iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK: iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK: math.sqrt
  // CHECK: tensor.expand_shape
  // CHECK-NOT: tensor.expand_shape
  %y:2 = onnx.node "LayerNormalization"(%x, %s) {node_attributes = {axis = -1 : i64}, domain = "", opset = 17 : i64} : (tensor<2x3x4xf32>, tensor<4xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %y#0, %y#1 : !onnx.unknown, !onnx.unknown
}

// -----

// Tests training: the statistics of the batch over all dims but the channels, of which only those that the model uses
// are left, in the type of the ones that they update.

// CHECK: #[[CHANNEL:.+]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<2x3x4xf16>, tensor<3xf32>)
func.func @main(%x: tensor<2x3x4xf16>, %s: tensor<3xf16>, %m: tensor<3xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK: iterator_types = ["reduction", "parallel", "reduction"]
  // CHECK: arith.constant 8.0{{.*}} : f32
  // CHECK: arith.subf
  // CHECK: iterator_types = ["reduction", "parallel", "reduction"]
  // CHECK: arith.mulf
  // CHECK-NEXT: arith.addf
  // CHECK: math.sqrt
  // CHECK: linalg.generic {{.*}} ins(%arg2, %{{.+}} : tensor<3xf32>, tensor<3xf32>)
  // CHECK-DAG: arith.constant 8.0{{.*}} : f32
  // CHECK-DAG: arith.constant 7.5{{.*}} : f32
  // CHECK-DAG: arith.constant 2.5{{.*}} : f32
  // CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[CHANNEL]], #[[CHANNEL]], #[[CHANNEL]], #{{.+}}]
  // CHECK: arith.truncf
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %y:3 = onnx.node "BatchNormalization"(%x, %s, %s, %m, %m) {node_attributes = {training_mode = 1 : i64, momentum = 0.75 : f32}, domain = "", opset = 15 : i64} : (tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf32>, tensor<3xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %y#0, %y#2 : !onnx.unknown, !onnx.unknown
}
