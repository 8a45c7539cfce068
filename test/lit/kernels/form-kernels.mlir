// RUN: mk-opt %s --mk-form-kernels --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Tests that a softmax becomes one kernel: its reductions and elementwise ops share the rows.

// CHECK: mk.kernel @k0
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: mk.yield
// CHECK-NOT: mk.kernel
// CHECK-LABEL: func @main
// CHECK-NEXT: mk.dispatch @k0(%{{.+}}) : (tensor<64x32xf32>) -> tensor<64x32xf32>
// CHECK-NEXT: return
func.func @main(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x32xf32>
  %i = linalg.fill ins(%low : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x32xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.maximumf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<64x32xf32>, tensor<64xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.subf %a, %c : f32
    %t = math.exp %s : f32
    linalg.yield %t : f32
  } -> tensor<64x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<64x32xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<64x32xf32>, tensor<64xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.divf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<64x32xf32>
  return %q : tensor<64x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Tests that equal work is one kernel with two dispatches, and that locations name the nodes.

// CHECK: mk.kernel @k0
// CHECK-NOT: mk.kernel
// CHECK-LABEL: func @main
// CHECK: mk.dispatch @k0
// CHECK: mk.dispatch @k0
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  return %a, %b : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Tests that no kernel waits for itself: the sum needs a gather that needs the negation, so it joins
// the gather and not the negation.

// CHECK: mk.kernel @k1
// CHECK: nn.gather
// CHECK: arith.addf
// CHECK: mk.kernel @k0
// CHECK: arith.negf
// CHECK-LABEL: func @main
// CHECK: %[[NEG:.+]] = mk.dispatch @k0(%{{.+}})
// CHECK: mk.dispatch @k1(%[[NEG]], %{{.+}})
func.func @main(%x: tensor<8x8xf32>, %i: tensor<8xi64>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  %g = nn.gather %a, %i {axis = 0 : i64} : (tensor<8x8xf32>, tensor<8xi64>) -> tensor<8x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %g : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %n = arith.addf %in, %in2 : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// Tests that a reduction over the only loop left does not join a large kernel: one tile would be
// left for all threads.

// CHECK-COUNT-2: mk.kernel
// CHECK-LABEL: func @main
func.func @main(%x: tensor<512x512xf32>) -> (tensor<512xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<512xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e1 : tensor<512xf32>) -> tensor<512xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<512x512xf32>) outs(%i : tensor<512xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %e0 = tensor.empty() : tensor<f32>
  %j = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%m : tensor<512xf32>) outs(%j : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %m, %t : tensor<512xf32>, tensor<f32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#id1 = affine_map<(d0) -> (d0)>

// Tests that a fill that starts a reduction and is also data is both: the kernel gets a start of its own.

// CHECK: mk.kernel
// CHECK: linalg.fill
// CHECK: arith.addf
// CHECK-LABEL: func @main
func.func @main(%x: tensor<64x32xf32>, %i: tensor<3xi64>) -> (tensor<64xf32>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x32xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %g = nn.gather %start, %i {axis = 0 : i64} : (tensor<64xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %m, %g : tensor<64xf32>, tensor<3xf32>
}
