// RUN: mk-opt %s --mk-place-buffers --split-input-file | FileCheck %s

// Tests that the parts of a concatenation are written in place, at their offsets and with the whole's
// strides, and that the whole is the program's output.

mk.kernel @k0(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  mk.yield %x : tensor<4x8xf32>
}
// CHECK-LABEL: func @main()
// CHECK-SAME: mk.inputs = [{name = "x", type = tensor<4x8xf32>}]
// CHECK-DAG: %[[OUT:.+]] = mk.buffer output {bytes = 256 : i64, index = 0 : i64}
// CHECK-DAG: %[[IN:.+]] = mk.buffer input {bytes = 128 : i64, index = 0 : i64}
// CHECK: mk.launch @k0(%[[IN]], %[[OUT]])
// CHECK-SAME: offsets = array<i64: 0, 0>
// CHECK-SAME: strides = [array<i64: 8, 1>, array<i64: 16, 1>]
// CHECK: mk.launch @k0(%[[IN]], %[[OUT]])
// CHECK-SAME: offsets = array<i64: 0, 32>
// CHECK-NOT: mk.launch
func.func @main(%x: tensor<4x8xf32> {onnx.name = "x"}) -> (tensor<4x16xf32> {onnx.name = "y"}) {
  %a = mk.dispatch @k0(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = mk.dispatch @k0(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = tensor.concat dim(1) %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}

// -----

// Tests that slices and reshapes are views, and that a reshape that no strides express is a copy.

mk.kernel @k0(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  mk.yield %x : tensor<4x4xf32>
}
mk.kernel @k1(%x: tensor<16xf32>) -> tensor<16xf32> {
  mk.yield %x : tensor<16xf32>
}
// CHECK: mk.kernel @copy0
// CHECK-LABEL: func @main()
// CHECK-DAG: %[[IN:.+]] = mk.buffer input
// CHECK-DAG: %[[DENSE:.+]] = mk.buffer arena {bytes = 64 : i64
// CHECK: mk.launch @k0(%[[IN]], %{{.+}}) {num_inputs = 1 : i64, offsets = array<i64: 16, 0>, strides = [array<i64: 8, 1>
// CHECK: mk.launch @copy0(%[[IN]], %[[DENSE]])
// CHECK: mk.launch @k1(%[[DENSE]], %{{.+}})
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<16xf32>) {
  %s = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %a = mk.dispatch @k0(%s) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %f = tensor.collapse_shape %s [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %b = mk.dispatch @k1(%f) : (tensor<16xf32>) -> tensor<16xf32>
  return %a, %b : tensor<4x4xf32>, tensor<16xf32>
}

// -----

// Tests that weight-only dispatches are marked, and that outputs that are inputs or weights are copied.

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
mk.kernel @k1(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
// CHECK-LABEL: func @main()
// CHECK: mk.launch @k0(%[[W:.+]], %[[FOLDED:.+]]) {compile_time
// CHECK: mk.launch @k1(%{{.+}}, %[[FOLDED]], %{{.+}}) {num_inputs
// CHECK: mk.launch @copy0(%[[X:.+]], %{{.+}})
// CHECK: mk.launch @copy0(%[[W]], %{{.+}})
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %w = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %a = mk.dispatch @k0(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %b = mk.dispatch @k1(%x, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %b, %x, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that results of one dispatch without inputs are all weights, even if one is also an output.

mk.kernel @k0() -> (tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  mk.yield %f, %f : tensor<4xf32>, tensor<4xf32>
}
mk.kernel @k1(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
// CHECK-LABEL: func @main()
// CHECK: mk.launch @k0(%[[OUT:.+]], %[[USED:.+]]) {compile_time
// CHECK: mk.launch @k1(%{{.+}}, %[[USED]], %{{.+}}) {num_inputs
// CHECK: mk.launch @copy0(%[[OUT]], %{{.+}}) {num_inputs
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a, %b = mk.dispatch @k0() : () -> (tensor<4xf32>, tensor<4xf32>)
  %c = mk.dispatch @k1(%x, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %a, %c : tensor<4xf32>, tensor<4xf32>
}
