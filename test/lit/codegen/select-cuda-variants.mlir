// RUN: mk-opt %s --mk-place-buffers --mk-select-cuda-variants=chip=sm_90a --split-input-file | FileCheck %s

// Tests that the elements of a tile are shared out among the threads, and that the operand in the weights is marked.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: mk.variant @k0_sm0
// CHECK-SAME: memref<1000xf32>
// CHECK-SAME: memref<1000xf32> {mk.weight}
// CHECK-SAME: target = "sm_90a:
// CHECK: %[[THREAD:.+]] = mk.thread_id
// CHECK: scf.for %{{.+}} = %[[THREAD]]
// CHECK: arith.addf
// CHECK: mk.return
// CHECK: mk.launch @k0_sm0
mk.kernel @k0(%x: tensor<1000xf32>, %w: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %w : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<1000xf32>
  mk.yield %y : tensor<1000xf32>
}
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %w = arith.constant dense<2.0> : tensor<1000xf32>
  %y = mk.dispatch @k0(%x, %w) : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// Tests that few long sums are computed by teams of threads, whose partial sums meet in shared memory in a tree: as many
// syncs as the tree has levels.

// CHECK-LABEL: mk.variant @k0_sm0
// CHECK: mk.shared : memref<{{[0-9]+}}xi8, 3>
// CHECK: arith.addf
// CHECK: memref.store
// CHECK: mk.sync
// CHECK: arith.addf
// CHECK: mk.sync
mk.kernel @k0(%x: tensor<4x4096xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x4096xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  mk.yield %y : tensor<4xf32>
}
func.func @main(%x: tensor<4x4096xf32>) -> tensor<4xf32> {
  %y = mk.dispatch @k0(%x) : (tensor<4x4096xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Tests that an index from data is checked before it is used.

// CHECK-LABEL: mk.variant @k0_sm0
// CHECK: %[[OK:.+]] = mk.check_index %{{.+}}, %{{.+}}, 10 : i1
// CHECK-NEXT: scf.if %[[OK]]
mk.kernel @k0(%x: tensor<10x8xf32>, %i: tensor<3xi64>) -> tensor<3x8xf32> {
  %y = nn.gather %x, %i {axis = 0 : i64} : (tensor<10x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  mk.yield %y : tensor<3x8xf32>
}
func.func @main(%x: tensor<10x8xf32>, %i: tensor<3xi64>) -> tensor<3x8xf32> {
  %y = mk.dispatch @k0(%x, %i) : (tensor<10x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}
