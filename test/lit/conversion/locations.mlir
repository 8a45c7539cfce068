// RUN: mk-opt %s --convert-onnx-to-nn --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Tests that all ops of a node carry the node's location.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<4xf32>) -> !onnx.unknown {
  // CHECK: tensor.empty() : tensor<4xf32> loc("/layer1/Exp"("model.onnx":3:0))
  // CHECK: math.exp %{{.+}} : f32 loc("/layer1/Exp"("model.onnx":3:0))
  // CHECK: } -> tensor<4xf32> loc("/layer1/Exp"("model.onnx":3:0))
  %y = onnx.node "Exp"(%x) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<4xf32>) -> !onnx.unknown loc("/layer1/Exp"("model.onnx":3:0))
  return %y : !onnx.unknown
}
