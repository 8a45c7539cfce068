// RUN: mk-opt %s --convert-onnx-to-nn --split-input-file --verify-diagnostics

// Tests that all that isn't supported is reported at once: operators, opsets, types, subgraphs included.

func.func @main(%x: tensor<4xf32>, %h: tensor<4xf64>) -> !onnx.unknown {
  // expected-error@+1 {{Frobnicate of domain my.domain at opset 1 is not supported}}
  %a = onnx.node "Frobnicate"(%x) {node_attributes = {}, domain = "my.domain", opset = 1 : i64} : (tensor<4xf32>) -> !onnx.unknown
  // expected-error@+1 {{Relu: element type double is not supported}}
  %b = onnx.node "Relu"(%h) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<4xf64>) -> !onnx.unknown
  // expected-error@+1 {{Cast: element type uint8 is not supported}}
  %c = onnx.node "Cast"(%x) {node_attributes = {to = 2 : i64}, domain = "", opset = 13 : i64} : (tensor<4xf32>) -> !onnx.unknown
  %i = onnx.initializer "i" : tensor<4xi64> = dense<1> : tensor<4xi64>
  // expected-error@+1 {{Sin: element type int64 is not supported}}
  %d = onnx.node "Sin"(%i) {node_attributes = {}, domain = "", opset = 22 : i64} : (tensor<4xi64>) -> !onnx.unknown
  // expected-error@+1 {{If at opset 17 is not supported}}
  %y = onnx.node "If"(%x) {graph_attributes = ["then_branch"], node_attributes = {}, domain = "", opset = 17 : i64} : (tensor<4xf32>) -> !onnx.unknown {
    // expected-error@+1 {{Scan at opset 17 is not supported}}
    %z = onnx.node "Scan"(%x) {node_attributes = {}, domain = "", opset = 17 : i64} : (tensor<4xf32>) -> !onnx.unknown
    onnx.yield %z : !onnx.unknown
  }
  return %y : !onnx.unknown
}

// -----

// Tests that Dropout's ratio and mode must have their types.

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  %ratio = onnx.initializer "ratio" : tensor<f32> = dense<0.5> : tensor<f32>
  %mode = onnx.initializer "mode" : tensor<f32> = dense<0.0> : tensor<f32>
  // expected-error@+1 {{Dropout: training_mode has element type float, but must be bool}}
  %y = onnx.node "Dropout"(%x, %ratio, %mode) {node_attributes = {}, domain = "", opset = 12 : i64} : (tensor<2xf32>, tensor<f32>, tensor<f32>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  %ratio = onnx.initializer "ratio" : tensor<i64> = dense<0> : tensor<i64>
  // expected-error@+1 {{Dropout: the ratio has element type int64, but must be a float}}
  %y = onnx.node "Dropout"(%x, %ratio) {node_attributes = {}, domain = "", opset = 12 : i64} : (tensor<2xf32>, tensor<i64>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xf32>) -> (tensor<2xi64> {onnx.name = "y"}) {
  %z = onnx.node "Relu"(%x) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2xf32>) -> tensor<2xi64>
  // expected-error@+1 {{output y is declared as int64, but is float}}
  return %z : tensor<2xi64>
}

// -----

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  // expected-error@+1 {{Relu: has 2 inputs, but takes 1}}
  %z = onnx.node "Relu"(%x, %x) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> !onnx.unknown {
  // expected-error@+1 {{Add: shapes [2, 3] and [2, 4] do not broadcast}}
  %z = onnx.node "Add"(%x, %y) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xi64>) -> !onnx.unknown {
  // expected-error@+1 {{Mul: inputs have element types float and int64}}
  %z = onnx.node "Mul"(%x, %y) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3xf32>, tensor<2x3xi64>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) -> !onnx.unknown {
  // expected-error@+1 {{MatMul: shapes [2, 3] and [4, 5] have inner dims that differ}}
  %z = onnx.node "MatMul"(%x, %y) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<2x3xf32>, tensor<4x5xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>) -> !onnx.unknown {
  // expected-error@+1 {{Softmax: axis 2 is outside [-2, 1] of a tensor of rank 2}}
  %z = onnx.node "Softmax"(%x) {node_attributes = {axis = 2 : i64}, domain = "", opset = 13 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>) -> !onnx.unknown {
  // expected-error@+1 {{Softmax: attribute axis is not an integer}}
  %z = onnx.node "Softmax"(%x) {node_attributes = {axis = "last"}, domain = "", opset = 13 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>) -> !onnx.unknown {
  %shape = onnx.initializer "shape" : tensor<2xi64> = dense<[4, -1]> : tensor<2xi64>
  // expected-error@+1 {{Reshape: shape [4, -1] does not divide the 6 elements of shape [2, 3]}}
  %z = onnx.node "Reshape"(%x, %shape) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>, %shape: tensor<2xi64>) -> !onnx.unknown {
  // expected-error@+1 {{Reshape: shape (input 1) that is computed from the model's inputs' values is not supported}}
  %z = onnx.node "Reshape"(%x, %shape) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x2x3x3xf32>) -> !onnx.unknown {
  // expected-error@+1 {{Conv: the input has 3 channels and the weight 4 kernels of 2, which do not fit 1 groups}}
  %z = onnx.node "Conv"(%x, %w) {node_attributes = {}, domain = "", opset = 11 : i64} : (tensor<1x3x8x8xf32>, tensor<4x2x3x3xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<1x3x2x2xf32>) -> !onnx.unknown {
  // expected-error@+1 {{MaxPool: the window covers 3 along spatial dim 0, but the padded input has 2}}
  %z = onnx.node "MaxPool"(%x) {node_attributes = {kernel_shape = array<i64: 3, 3>}, domain = "", opset = 12 : i64} : (tensor<1x3x2x2xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<5xf32>) -> !onnx.unknown {
  %i = onnx.initializer "i" : tensor<i64> = dense<5> : tensor<i64>
  // expected-error@+1 {{Gather: index 5 is outside [-5, 4] of dim 0 of shape [5]}}
  %z = onnx.node "Gather"(%x, %i) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<5xf32>, tensor<i64>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>) -> !onnx.unknown {
  // expected-error@+1 {{Transpose: perm [0, 0] is no permutation of the 2 dims}}
  %z = onnx.node "Transpose"(%x) {node_attributes = {perm = array<i64: 0, 0>}, domain = "", opset = 13 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>) -> !onnx.unknown {
  // expected-error@+1 {{Add: has 1 inputs, but needs 2}}
  %z = onnx.node "Add"(%x) {node_attributes = {}, domain = "", opset = 14 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  return %z : !onnx.unknown
}

// -----

func.func @main(%x: tensor<4x4xf32>) -> !onnx.unknown {
  %s = onnx.initializer "s" : tensor<2xi64> = dense<[0, 1]> : tensor<2xi64>
  %e = onnx.initializer "e" : tensor<2xi64> = dense<[2, 2]> : tensor<2xi64>
  %a = onnx.initializer "a" : tensor<2xi64> = dense<[1, -1]> : tensor<2xi64>
  // expected-error@+1 {{Slice: axis 1 is given twice}}
  %y = onnx.node "Slice"(%x, %s, %e, %a) {node_attributes = {}, domain = "", opset = 13 : i64} : (tensor<4x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>, %c: tensor<3xf32>) -> !onnx.unknown {
  // expected-error @+1 {{BatchNormalization: training mode before opset 14 is not supported}}
  %y:2 = onnx.node "BatchNormalization"(%x, %c, %c, %c, %c) {node_attributes = {}, domain = "", opset = 9 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %y#1 : !onnx.unknown
}

// -----

func.func @main(%x: tensor<4x4xf32>) -> !onnx.unknown {
  %p = onnx.initializer "p" : tensor<4xi64> = dense<1> : tensor<4xi64>
  %v = onnx.initializer "v" : tensor<f32> = dense<0.0> : tensor<f32>
  %a = onnx.initializer "a" : tensor<2xi64> = dense<[0, -2]> : tensor<2xi64>
  // expected-error@+1 {{Pad: axis 0 is given twice}}
  %y = onnx.node "Pad"(%x, %p, %v, %a) {node_attributes = {}, domain = "", opset = 18 : i64} : (tensor<4x4xf32>, tensor<4xi64>, tensor<f32>, tensor<2xi64>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2x3xf32>, %c: tensor<3xf32>) -> !onnx.unknown {
  // expected-error @+1 {{BatchNormalization: output 2 is given in training mode only}}
  %y:3 = onnx.node "BatchNormalization"(%x, %c, %c, %c, %c) {node_attributes = {}, domain = "", opset = 15 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %y#2 : !onnx.unknown
}
