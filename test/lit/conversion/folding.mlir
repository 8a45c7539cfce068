// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests that a chain that computes a shape folds away: Shape, Gather, Unsqueeze, Concat, Reshape.

// CHECK-LABEL: func @main
// CHECK-SAME: %[[X:.+]]: tensor<2x3x4xf32>
func.func @main(%x: tensor<2x3x4xf32>) -> !onnx.unknown {
  %zero = onnx.node "Constant"() {node_attributes = {value = dense<0> : tensor<i64>}, domain = "", opset = 13 : i64} : () -> !onnx.unknown
  %axes = onnx.node "Constant"() {node_attributes = {value_ints = array<i64: 0>}, domain = "", opset = 13 : i64} : () -> !onnx.unknown
  %rest = onnx.node "Constant"() {node_attributes = {value_ints = array<i64: -1>}, domain = "", opset = 13 : i64} : () -> !onnx.unknown
  %shape = onnx.node "Shape"(%x) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
  %batch = onnx.node "Gather"(%shape, %zero) {node_attributes = {axis = 0 : i64}, domain = "", opset = 13 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  %batches = onnx.node "Unsqueeze"(%batch, %axes) {node_attributes = {}, domain = "", opset = 13 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  %target = onnx.node "Concat"(%batches, %rest) {node_attributes = {axis = 0 : i64}, domain = "", opset = 13 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %[[Y:.+]] = tensor.collapse_shape %[[X]] {{\[}}[0], [1, 2]] : tensor<2x3x4xf32> into tensor<2x12xf32>
  // CHECK-NEXT: return %[[Y]]
  %y = onnx.node "Reshape"(%x, %target) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<2x3x4xf32>, !onnx.unknown) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests Range, ConstantOfShape and Where on shapes; the declared shapes of values, even wrong ones, don't matter.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<1x5xf32>) -> tensor<99xi64> {
  %one = onnx.initializer "one" : tensor<i64> = dense<1> : tensor<i64>
  %four = onnx.initializer "four" : tensor<i64> = dense<4> : tensor<i64>
  %range = onnx.node "Range"(%one, %four, %one) {node_attributes = {}, domain = "", opset = 11 : i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<7xi64>
  %shape = onnx.node "Shape"(%range) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<7xi64>) -> !onnx.unknown
  %fill = onnx.node "ConstantOfShape"(%shape) {node_attributes = {value = dense<-1> : tensor<1xi64>}, domain = "", opset = 9 : i64} : (!onnx.unknown) -> !onnx.unknown
  %is = onnx.node "Equal"(%range, %one) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<7xi64>, tensor<i64>) -> !onnx.unknown
  // CHECK: arith.constant dense<[-1, 2, 3]> : tensor<3xi64>
  %y = onnx.node "Where"(%is, %fill, %range) {node_attributes = {}, domain = "", opset = 9 : i64} : (!onnx.unknown, !onnx.unknown, tensor<7xi64>) -> tensor<99xi64>
  return %y : tensor<99xi64>
}

// -----

// Tests that large constant work isn't folded: a fill, and a transpose of a weight.

// CHECK-LABEL: func @main
func.func @main() -> (!onnx.unknown, !onnx.unknown) {
  %shape = onnx.initializer "shape" : tensor<2xi64> = dense<[1000, 1000]> : tensor<2xi64>
  %w = onnx.initializer "w" : tensor<200x300xf32> = #mk.weight<"w.bin", 0, 240000, 0> : tensor<200x300xf32>
  // CHECK: %[[W:.+]] = mk.weight
  // CHECK: linalg.fill
  %a = onnx.node "ConstantOfShape"(%shape) {node_attributes = {}, domain = "", opset = 9 : i64} : (tensor<2xi64>) -> !onnx.unknown
  // CHECK: linalg.generic {{.*}} ins(%[[W]] : tensor<200x300xf32>)
  %b = onnx.node "Transpose"(%w) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<200x300xf32>) -> !onnx.unknown
  return %a, %b : !onnx.unknown, !onnx.unknown
}

// -----

// Tests that tensors without elements are constants and drop out of concatenations.

// CHECK-LABEL: func @main
// CHECK-SAME: %{{.+}}: tensor<2x0x4xf32>, %[[NEW:[a-z0-9]+]]: tensor<2x1x4xf32>
// CHECK-NEXT: return %[[NEW]]
func.func @main(%past: tensor<2x0x4xf32>, %new: tensor<2x1x4xf32>) -> !onnx.unknown {
  %y = onnx.node "Concat"(%past, %new) {node_attributes = {axis = 1 : i64}, domain = "", opset = 13 : i64} : (tensor<2x0x4xf32>, tensor<2x1x4xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}
