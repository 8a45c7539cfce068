// RUN: mk-opt %s | mk-opt | FileCheck %s

// Tests that nodes, subgraphs, weights and omitted inputs survive a round trip.

// CHECK-LABEL: func @main
func.func @main(%x: tensor<?x3xf32> {onnx.name = "x", onnx.dims = ["batch", 3]}) -> (!onnx.unknown {onnx.name = "y"}) {
  // CHECK: onnx.initializer "w" : tensor<3xf32> = #mk.weight<"m.onnx", 64, 12, 0> : tensor<3xf32>
  %w = onnx.initializer "w" : tensor<3xf32> = #mk.weight<"m.onnx", 64, 12, 0> : tensor<3xf32>
  %none = onnx.none
  // CHECK: onnx.node "Clip"
  %c = onnx.node "Clip"(%x, %none, %w) {node_attributes = {}, domain = "", opset = 17 : i64}
    : (tensor<?x3xf32>, !onnx.none, tensor<3xf32>) -> !onnx.unknown
  // CHECK: onnx.node "If"
  // CHECK-SAME: graph_attributes = ["then_branch", "else_branch"]
  %y = onnx.node "If"(%c) {graph_attributes = ["then_branch", "else_branch"], node_attributes = {}, domain = "", opset = 17 : i64} : (!onnx.unknown) -> !onnx.unknown {
    onnx.yield %c : !onnx.unknown
  }, {
    onnx.yield %x : tensor<?x3xf32>
  }
  return %y : !onnx.unknown
}
