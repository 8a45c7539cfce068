// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file | FileCheck %s

// Tests what operators compute, on constants: these fold, by the interpreter that evaluates the emitted ops.

// Tests that integer division truncates, that a zero divisor gives 0 and that the smallest integer's quotient by -1 wraps.
// CHECK-LABEL: func @main
func.func @main() -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %x = onnx.initializer "x" : tensor<5xi32> = dense<[7, -7, 7, 5, -2147483648]> : tensor<5xi32>
  %y = onnx.initializer "y" : tensor<5xi32> = dense<[2, 2, -2, 0, -1]> : tensor<5xi32>
  // CHECK-DAG: arith.constant dense<[3, -3, -3, 0, -2147483648]> : tensor<5xi32>
  %a = onnx.node "Div"(%x, %y) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<5xi32>, tensor<5xi32>) -> !onnx.unknown
  // CHECK-DAG: arith.constant dense<[1, 1, -1, 0, 0]> : tensor<5xi32>
  %b = onnx.node "Mod"(%x, %y) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<5xi32>, tensor<5xi32>) -> !onnx.unknown
  // CHECK-DAG: arith.constant dense<[1, -1, 1, 0, 0]> : tensor<5xi32>
  %c = onnx.node "Mod"(%x, %y) {node_attributes = {fmod = 1 : i64}, domain = "", opset = 13 : i64} : (tensor<5xi32>, tensor<5xi32>) -> !onnx.unknown
  return %a, %b, %c : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

// Tests that casts to integers saturate, that NaN becomes 0, and that NaN and fractions are true.
// CHECK-LABEL: func @main
func.func @main() -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %x = onnx.initializer "x" : tensor<5xf32> = dense<[-1.5, 3.0e9, -3.0e9, 0x7FC00000, 0.0]> : tensor<5xf32>
  // CHECK-DAG: arith.constant dense<[-1, 2147483647, -2147483648, 0, 0]> : tensor<5xi32>
  %a = onnx.node "Cast"(%x) {node_attributes = {to = 6 : i64}, domain = "", opset = 13 : i64} : (tensor<5xf32>) -> !onnx.unknown
  // CHECK-DAG: arith.constant dense<[-1, 3000000000, -3000000000, 0, 0]> : tensor<5xi64>
  %b = onnx.node "Cast"(%x) {node_attributes = {to = 7 : i64}, domain = "", opset = 13 : i64} : (tensor<5xf32>) -> !onnx.unknown
  // CHECK-DAG: arith.constant dense<[true, true, true, true, false]> : tensor<5xi1>
  %c = onnx.node "Cast"(%x) {node_attributes = {to = 9 : i64}, domain = "", opset = 13 : i64} : (tensor<5xf32>) -> !onnx.unknown
  return %a, %b, %c : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

// Tests that Round takes the even number half way, and that bool is converted as 0 and 1.
// CHECK-LABEL: func @main
func.func @main() -> (!onnx.unknown, !onnx.unknown) {
  %x = onnx.initializer "x" : tensor<5xf32> = dense<[0.5, 1.5, 2.5, -0.5, -2.6]> : tensor<5xf32>
  %t = onnx.initializer "t" : tensor<2xi1> = dense<[true, false]> : tensor<2xi1>
  // CHECK-DAG: dense<[0.000000e+00, 2.000000e+00, 2.000000e+00, -0.000000e+00, -3.000000e+00]> : tensor<5xf32>
  %a = onnx.node "Round"(%x) {node_attributes = {}, domain = "", opset = 11 : i64} : (tensor<5xf32>) -> !onnx.unknown
  // CHECK-DAG: dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf32>
  %b = onnx.node "Cast"(%t) {node_attributes = {to = 1 : i64}, domain = "", opset = 13 : i64} : (tensor<2xi1>) -> !onnx.unknown
  return %a, %b : !onnx.unknown, !onnx.unknown
}

// -----

// Tests powers of integers: by integers, negative ones too, and by floats.
// CHECK-LABEL: func @main
func.func @main() -> (!onnx.unknown, !onnx.unknown) {
  %x = onnx.initializer "x" : tensor<5xi64> = dense<[3, -2, 2, -1, 10]> : tensor<5xi64>
  %n = onnx.initializer "n" : tensor<5xi64> = dense<[4, 5, -1, -3, 18]> : tensor<5xi64>
  %f = onnx.initializer "f" : tensor<5xf32> = dense<[4.0, 5.0, 0.5, 3.0, 2.0]> : tensor<5xf32>
  // CHECK-DAG: dense<[81, -32, 0, -1, 1000000000000000000]> : tensor<5xi64>
  %a = onnx.node "Pow"(%x, %n) {node_attributes = {}, domain = "", opset = 15 : i64} : (tensor<5xi64>, tensor<5xi64>) -> !onnx.unknown
  // CHECK-DAG: dense<[81, -32, 1, -1, 100]> : tensor<5xi64>
  %b = onnx.node "Pow"(%x, %f) {node_attributes = {}, domain = "", opset = 15 : i64} : (tensor<5xi64>, tensor<5xf32>) -> !onnx.unknown
  return %a, %b : !onnx.unknown, !onnx.unknown
}

// -----

// Tests that powers of integers wrap, whatever the exponent.
// CHECK-LABEL: func @main
func.func @main() -> !onnx.unknown {
  %x = onnx.initializer "x" : tensor<4xi64> = dense<[0, 2, 3, -1]> : tensor<4xi64>
  %n = onnx.initializer "n" : tensor<4xi64> = dense<[64, 64, 65, 9223372036854775807]> : tensor<4xi64>
  // CHECK: dense<[0, 0, 7752514261426648835, -1]> : tensor<4xi64>
  %a = onnx.node "Pow"(%x, %n) {node_attributes = {}, domain = "", opset = 15 : i64} : (tensor<4xi64>, tensor<4xi64>) -> !onnx.unknown
  return %a : !onnx.unknown
}

// -----

// Tests that a sparse tensor is a dense one with zeros.
// CHECK-LABEL: func @main
func.func @main() -> (!onnx.unknown, !onnx.unknown) {
  %x = onnx.initializer "x" : tensor<2x3xf32> = sparse<[[0, 1], [1, 2]], [5.0, -1.0]> : tensor<2x3xf32>
  %y = onnx.initializer "y" : tensor<2x3xf32> = dense<0.0> : tensor<2x3xf32>
  // CHECK-DAG: dense<{{\[\[}}0.000000e+00, 5.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, -1.000000e+00]]>
  %a = onnx.node "Add"(%x, %y) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> !onnx.unknown
  // CHECK-DAG: dense<[0, 7]> : tensor<2xi64>
  %b = onnx.node "Constant"() {node_attributes = {sparse_value = sparse<[[1]], [7]> : tensor<2xi64>}, domain = "", opset = 13 : i64} : () -> !onnx.unknown
  return %a, %b : !onnx.unknown, !onnx.unknown
}

// -----

// Tests reductions of integers and bools, and a reduction over nothing.
// CHECK-LABEL: func @main
func.func @main() -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %x = onnx.initializer "x" : tensor<2x3xi32> = dense<[[1, 2, 4], [-1, -2, -5]]> : tensor<2x3xi32>
  %t = onnx.initializer "t" : tensor<2x2xi1> = dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  %none = onnx.initializer "none" : tensor<0x2xf32> = dense<> : tensor<0x2xf32>
  %axis = onnx.initializer "axis" : tensor<1xi64> = dense<1> : tensor<1xi64>
  %zero = onnx.initializer "zero" : tensor<1xi64> = dense<0> : tensor<1xi64>
  // CHECK-DAG: dense<[2, -2]> : tensor<2xi32>
  %a = onnx.node "ReduceMean"(%x, %axis) {node_attributes = {keepdims = 0 : i64}, domain = "", opset = 18 : i64} : (tensor<2x3xi32>, tensor<1xi64>) -> !onnx.unknown
  // CHECK-DAG: dense<[true, false]> : tensor<2xi1>
  %b = onnx.node "ReduceMax"(%t, %axis) {node_attributes = {keepdims = 0 : i64}, domain = "", opset = 20 : i64} : (tensor<2x2xi1>, tensor<1xi64>) -> !onnx.unknown
  // CHECK-DAG: dense<0xFF800000> : tensor<2xf32>
  %c = onnx.node "ReduceMax"(%none, %zero) {node_attributes = {keepdims = 0 : i64}, domain = "", opset = 20 : i64} : (tensor<0x2xf32>, tensor<1xi64>) -> !onnx.unknown
  return %a, %b, %c : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

// Tests which of equal values ArgMax takes, and that it takes NaN first.
// CHECK-LABEL: func @main
func.func @main() -> (!onnx.unknown, !onnx.unknown) {
  %x = onnx.initializer "x" : tensor<2x4xf32> = dense<[[1.0, 3.0, 3.0, 2.0], [9.0, 0x7FC00000, 1.0, 0.0]]> : tensor<2x4xf32>
  // CHECK-DAG: dense<1> : tensor<2xi64>
  %a = onnx.node "ArgMax"(%x) {node_attributes = {axis = 1 : i64, keepdims = 0 : i64}, domain = "", opset = 13 : i64} : (tensor<2x4xf32>) -> !onnx.unknown
  // CHECK-DAG: dense<[2, 1]> : tensor<2xi64>
  %b = onnx.node "ArgMax"(%x) {node_attributes = {axis = 1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64}, domain = "", opset = 13 : i64} : (tensor<2x4xf32>) -> !onnx.unknown
  return %a, %b : !onnx.unknown, !onnx.unknown
}

// -----

// Tests Pad in its modes, with negative pads, and a reflection wider than the input.
// CHECK-LABEL: func @main
func.func @main() -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %x = onnx.initializer "x" : tensor<3xi64> = dense<[1, 2, 3]> : tensor<3xi64>
  %crop = onnx.initializer "crop" : tensor<2xi64> = dense<[-1, 2]> : tensor<2xi64>
  %wide = onnx.initializer "wide" : tensor<2xi64> = dense<[3, 1]> : tensor<2xi64>
  // CHECK-DAG: dense<[2, 3, 0, 0]> : tensor<4xi64>
  %a = onnx.node "Pad"(%x, %crop) {node_attributes = {}, domain = "", opset = 18 : i64} : (tensor<3xi64>, tensor<2xi64>) -> !onnx.unknown
  // CHECK-DAG: dense<[1, 1, 1, 1, 2, 3, 3]> : tensor<7xi64>
  %b = onnx.node "Pad"(%x, %wide) {node_attributes = {mode = "edge"}, domain = "", opset = 18 : i64} : (tensor<3xi64>, tensor<2xi64>) -> !onnx.unknown
  // CHECK-DAG: dense<[2, 3, 2, 1, 2, 3, 2]> : tensor<7xi64>
  %c = onnx.node "Pad"(%x, %wide) {node_attributes = {mode = "reflect"}, domain = "", opset = 18 : i64} : (tensor<3xi64>, tensor<2xi64>) -> !onnx.unknown
  // CHECK-DAG: dense<[1, 2, 3, 1, 2, 3, 1]> : tensor<7xi64>
  %d = onnx.node "Pad"(%x, %wide) {node_attributes = {mode = "wrap"}, domain = "", opset = 19 : i64} : (tensor<3xi64>, tensor<2xi64>) -> !onnx.unknown
  return %a, %b, %c, %d : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}
