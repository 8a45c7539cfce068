// RUN: mk-opt %s --pass-pipeline="builtin.module(convert-onnx-to-nn,func.func(nn-sink-transposes))" --split-input-file | FileCheck %s

// Tests that nothing is left between two convolutions but what the model computes: Relu, BatchNormalization, a residual
// Add. One transpose brings the result back.

// CHECK-LABEL: func @residual
// CHECK: nn.contract %arg0
// CHECK: arith.maximumf
// CHECK-NOT: linalg.yield %in
// CHECK: nn.contract
// CHECK-NOT: linalg.yield %in
// CHECK: arith.addf
// CHECK: linalg.yield %in
// CHECK-NEXT: } -> tensor<1x64x8x8xf32>
// CHECK-NEXT: return
func.func @residual(%x: tensor<1x64x8x8xf32>, %w1: tensor<64x64x3x3xf32>, %s: tensor<64xf32>) -> !onnx.unknown {
  %c1 = onnx.node "Conv"(%x, %w1) {node_attributes = {pads = array<i64: 1, 1, 1, 1>}, domain = "", opset = 11 : i64} : (tensor<1x64x8x8xf32>, tensor<64x64x3x3xf32>) -> !onnx.unknown
  %r1 = onnx.node "Relu"(%c1) {node_attributes = {}, domain = "", opset = 14 : i64} : (!onnx.unknown) -> !onnx.unknown
  %c2 = onnx.node "Conv"(%r1, %w1) {node_attributes = {pads = array<i64: 1, 1, 1, 1>}, domain = "", opset = 11 : i64} : (!onnx.unknown, tensor<64x64x3x3xf32>) -> !onnx.unknown
  %n = onnx.node "BatchNormalization"(%c2, %s, %s, %s, %s) {node_attributes = {}, domain = "", opset = 15 : i64} : (!onnx.unknown, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> !onnx.unknown
  %a = onnx.node "Add"(%n, %r1) {node_attributes = {}, domain = "", opset = 14 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  return %a : !onnx.unknown
}

// -----

// Tests squeeze-and-excite: a global average, a 1x1 convolution on it, and the product with the image.

// CHECK-LABEL: func @squeeze_excite
// CHECK: linalg.yield %in
// CHECK: nn.contract
// CHECK-NOT: linalg.yield %in
// CHECK: arith.mulf
// CHECK-NOT: linalg.yield %in
// CHECK: nn.pool max
func.func @squeeze_excite(%x: tensor<2x8x6x6xf32>, %w: tensor<8x8x3x3xf32>, %v: tensor<8x8x1x1xf32>) -> !onnx.unknown {
  %c = onnx.node "Conv"(%x, %w) {node_attributes = {}, domain = "", opset = 11 : i64} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> !onnx.unknown
  %g = onnx.node "GlobalAveragePool"(%c) {node_attributes = {}, domain = "", opset = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
  %e = onnx.node "Conv"(%g, %v) {node_attributes = {}, domain = "", opset = 11 : i64} : (!onnx.unknown, tensor<8x8x1x1xf32>) -> !onnx.unknown
  %s = onnx.node "Sigmoid"(%e) {node_attributes = {}, domain = "", opset = 13 : i64} : (!onnx.unknown) -> !onnx.unknown
  %m = onnx.node "Mul"(%c, %s) {node_attributes = {}, domain = "", opset = 14 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  %y = onnx.node "MaxPool"(%m) {node_attributes = {kernel_shape = array<i64: 2, 2>}, domain = "", opset = 12 : i64} : (!onnx.unknown) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests concatenation and slices of channels, with a constant of another layout in between.

// CHECK-LABEL: func @channels
// CHECK-DAG: %[[FILL:.+]] = arith.constant dense<1.0{{.*}}> : tensor<1x4x4x2xf32>
// CHECK-DAG: %[[A:.+]] = nn.pool
// CHECK: %[[JOINED:.+]] = tensor.concat dim(3) %[[A]], %[[FILL]]
// CHECK: tensor.extract_slice %[[JOINED]][0, 0, 0, 4] [1, 4, 4, 5] [1, 1, 1, 1]
// CHECK-NOT: linalg.yield %in
// CHECK: nn.pool
func.func @channels(%x: tensor<1x8x4x4xf32>) -> !onnx.unknown {
  %fill = onnx.initializer "fill" : tensor<1x2x4x4xf32> = dense<1.0> : tensor<1x2x4x4xf32>
  %a = onnx.node "MaxPool"(%x) {node_attributes = {kernel_shape = array<i64: 1, 1>}, domain = "", opset = 12 : i64} : (tensor<1x8x4x4xf32>) -> !onnx.unknown
  %j = onnx.node "Concat"(%a, %fill) {node_attributes = {axis = 1 : i64}, domain = "", opset = 13 : i64} : (!onnx.unknown, tensor<1x2x4x4xf32>) -> !onnx.unknown
  %s = onnx.node "Slice"(%j) {node_attributes = {starts = array<i64: 4>, ends = array<i64: 9>, axes = array<i64: 1>}, domain = "", opset = 9 : i64} : (!onnx.unknown) -> !onnx.unknown
  %y = onnx.node "MaxPool"(%s) {node_attributes = {kernel_shape = array<i64: 2, 2>}, domain = "", opset = 12 : i64} : (!onnx.unknown) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests a channel shuffle: only its own transpose, of the two channel dims, is left.

// CHECK-LABEL: func @shuffle
// CHECK: nn.pool
// CHECK: tensor.expand_shape {{.*}} into tensor<1x4x4x2x3xf32>
// CHECK: linalg.yield %in
// CHECK-NEXT: } -> tensor<1x4x4x3x2xf32>
// CHECK-NEXT: tensor.collapse_shape
// CHECK-NEXT: nn.pool
func.func @shuffle(%x: tensor<1x6x4x4xf32>) -> !onnx.unknown {
  %split = onnx.initializer "split" : tensor<5xi64> = dense<[1, 2, 3, 4, 4]> : tensor<5xi64>
  %join = onnx.initializer "join" : tensor<4xi64> = dense<[1, 6, 4, 4]> : tensor<4xi64>
  %a = onnx.node "MaxPool"(%x) {node_attributes = {kernel_shape = array<i64: 1, 1>}, domain = "", opset = 12 : i64} : (tensor<1x6x4x4xf32>) -> !onnx.unknown
  %b = onnx.node "Reshape"(%a, %split) {node_attributes = {}, domain = "", opset = 14 : i64} : (!onnx.unknown, tensor<5xi64>) -> !onnx.unknown
  %c = onnx.node "Transpose"(%b) {node_attributes = {perm = array<i64: 0, 2, 1, 3, 4>}, domain = "", opset = 13 : i64} : (!onnx.unknown) -> !onnx.unknown
  %d = onnx.node "Reshape"(%c, %join) {node_attributes = {}, domain = "", opset = 14 : i64} : (!onnx.unknown, tensor<4xi64>) -> !onnx.unknown
  %y = onnx.node "MaxPool"(%d) {node_attributes = {kernel_shape = array<i64: 1, 1>}, domain = "", opset = 12 : i64} : (!onnx.unknown) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests attention: heads are split and joined by maps alone, the result's order included.

// CHECK-LABEL: func @attention
// CHECK-NOT: linalg.generic
// CHECK: nn.contract
// CHECK-NOT: linalg.generic
// CHECK: nn.contract {{.*}} -> tensor<2x5x3x4xf32>
// CHECK-NEXT: tensor.collapse_shape
// CHECK-NEXT: return
func.func @attention(%q: tensor<2x5x3x4xf32>, %k: tensor<2x5x3x4xf32>, %v: tensor<2x5x3x4xf32>) -> !onnx.unknown {
  %join = onnx.initializer "join" : tensor<3xi64> = dense<[2, 5, 12]> : tensor<3xi64>
  %a = onnx.node "Transpose"(%q) {node_attributes = {perm = array<i64: 0, 2, 1, 3>}, domain = "", opset = 13 : i64} : (tensor<2x5x3x4xf32>) -> !onnx.unknown
  %b = onnx.node "Transpose"(%k) {node_attributes = {perm = array<i64: 0, 2, 3, 1>}, domain = "", opset = 13 : i64} : (tensor<2x5x3x4xf32>) -> !onnx.unknown
  %c = onnx.node "Transpose"(%v) {node_attributes = {perm = array<i64: 0, 2, 1, 3>}, domain = "", opset = 13 : i64} : (tensor<2x5x3x4xf32>) -> !onnx.unknown
  %s = onnx.node "MatMul"(%a, %b) {node_attributes = {}, domain = "", opset = 13 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  %o = onnx.node "MatMul"(%s, %c) {node_attributes = {}, domain = "", opset = 13 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  %t = onnx.node "Transpose"(%o) {node_attributes = {perm = array<i64: 0, 2, 1, 3>}, domain = "", opset = 13 : i64} : (!onnx.unknown) -> !onnx.unknown
  %y = onnx.node "Reshape"(%t, %join) {node_attributes = {}, domain = "", opset = 14 : i64} : (!onnx.unknown, tensor<3xi64>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests that a reduction and an ArgMax absorb a transpose, whatever the order of what they keep.

// CHECK-LABEL: func @reductions
// CHECK-NOT: linalg.yield %in
// CHECK: iterator_types = ["parallel", "reduction", "parallel"]
// CHECK: nn.arg_reduce %arg0 {axis = 1 : i64
// CHECK: return
func.func @reductions(%x: tensor<2x3x4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %t = onnx.node "Transpose"(%x) {node_attributes = {perm = array<i64: 0, 2, 1>}, domain = "", opset = 13 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
  %a = onnx.node "ReduceSum"(%t) {node_attributes = {axes = array<i64: 2>, keepdims = 0 : i64}, domain = "", opset = 11 : i64} : (!onnx.unknown) -> !onnx.unknown
  %b = onnx.node "ArgMax"(%t) {node_attributes = {axis = 2 : i64, keepdims = 0 : i64}, domain = "", opset = 13 : i64} : (!onnx.unknown) -> !onnx.unknown
  return %a, %b : !onnx.unknown, !onnx.unknown
}

// -----

// Tests that a weight's transpose stays where it is: compiled code does it once.

// CHECK-LABEL: func @weight
// CHECK: %[[W:.+]] = mk.weight
// CHECK: %[[T:.+]] = linalg.generic {{.*}} ins(%[[W]]
// CHECK: nn.contract %arg0, %[[T]]
func.func @weight(%x: tensor<2x300xf32>) -> !onnx.unknown {
  %w = onnx.initializer "w" : tensor<200x300xf32> = #mk.weight<"w.bin", 0, 240000, 0> : tensor<200x300xf32>
  %t = onnx.node "Transpose"(%w) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<200x300xf32>) -> !onnx.unknown
  %y = onnx.node "MatMul"(%x, %t) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<2x300xf32>, !onnx.unknown) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

// Tests that a transpose stops before a reshape that joins dims that lie apart, and before a return.

// CHECK-LABEL: func @stops
// CHECK: %[[T:.+]] = linalg.generic
// CHECK-NEXT: ^bb0
// CHECK-NEXT: linalg.yield %in
// CHECK: tensor.collapse_shape %[[T]]
// CHECK: return %{{.+}}, %[[T]]
func.func @stops(%x: tensor<2x3x4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %flat = onnx.initializer "flat" : tensor<1xi64> = dense<-1> : tensor<1xi64>
  %t = onnx.node "Transpose"(%x) {node_attributes = {perm = array<i64: 2, 0, 1>}, domain = "", opset = 13 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
  %y = onnx.node "Reshape"(%t, %flat) {node_attributes = {}, domain = "", opset = 14 : i64} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  return %y, %t : !onnx.unknown, !onnx.unknown
}

// -----

// Tests that nothing happens to a function without transposes.

// CHECK-LABEL: func @nothing
// CHECK-NEXT: %[[INIT:.+]] = tensor.empty() : tensor<2x3xf32>
// CHECK-NEXT: %[[Y:.+]] = linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<2x3xf32>, tensor<3xf32>) outs(%[[INIT]]
// CHECK: return %[[Y]]
func.func @nothing(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> !onnx.unknown {
  %z = onnx.node "Add"(%x, %y) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

// Tests that the strides of MaxPool's indices follow the dims of x when a transpose goes into its map: the model's
// layout is read as it is, and the indices still count in it.

// CHECK-LABEL: func @indices
// CHECK-NOT: linalg.generic
// CHECK: nn.arg_pool %arg0 {{{.*}}index_strides = array<i64: 120, 40, 1, 8>
func.func @indices(%x: tensor<1x3x8x5xf32>) -> !onnx.unknown {
  %y:2 = onnx.node "MaxPool"(%x) {node_attributes = {kernel_shape = array<i64: 3, 3>, storage_order = 1 : i64}, domain = "", opset = 12 : i64} : (tensor<1x3x8x5xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %y#1 : !onnx.unknown
}
