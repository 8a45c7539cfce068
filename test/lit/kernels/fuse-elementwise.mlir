// RUN: mk-opt %s --mk-fuse-elementwise --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Tests that an elementwise op moves into its only user.

// CHECK-LABEL: func @chain
// CHECK: linalg.generic
// CHECK: arith.negf
// CHECK-NEXT: arith.addf
// CHECK-NOT: linalg.generic
func.func @chain(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %s = arith.addf %in, %in2 : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#rowid = affine_map<(d0) -> (d0)>

// Tests that a division is not repeated for every element that it is broadcast to.

// CHECK-LABEL: func @costly
// CHECK: arith.divf
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK: arith.mulf
func.func @costly(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4x8xf32> {
  %one = arith.constant 1.0 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#rowid, #rowid], iterator_types = ["parallel"]} ins(%y : tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.divf %one, %in : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %a : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %s = arith.mulf %in, %in2 : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Tests that weight-only work stays apart from work of every run.

// CHECK-LABEL: func @weight_only
// CHECK: %[[WEIGHT:.+]] = linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK-SAME: %[[WEIGHT]]
func.func @weight_only(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = mk.weight #mk.weight<"m.onnx", 0, 128, 0> : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = math.exp %in : f32
    linalg.yield %n : f32
  } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %a : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %s = arith.addf %in, %in2 : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#reversed = affine_map<(d0) -> (-d0 + 3)>

// Tests that an op that uses its loop's index stays where the index would have to be computed.

// CHECK-LABEL: func @index
// CHECK: linalg.index
// CHECK: linalg.generic
// CHECK-NOT: affine.apply
func.func @index(%x: tensor<4xf32>) -> tensor<4xf32> {
  %ei = tensor.empty() : tensor<4xi64>
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%ei : tensor<4xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<4xi64>
  %b = linalg.generic {indexing_maps = [#reversed, #id, #id], iterator_types = ["parallel"]} ins(%a, %x : tensor<4xi64>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: i64, %in2: f32, %out: f32):
    %f = arith.sitofp %in : i64 to f32
    %s = arith.addf %f, %in2 : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %b : tensor<4xf32>
}
