// RUN: mk-opt %s --mk-place-buffers --mk-select-host-variants --split-input-file | FileCheck %s

// Tests that a matmul keeps its accumulators in registers over the reduction and applies a cheap
// elementwise op before it stores.

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: mk.variant @k0_0
// CHECK-SAME: memref<256xf32>
// CHECK: %{{.+}}:16 = scf.for
// CHECK: vector.fma
// CHECK: scf.yield
// CHECK: arith.addf
// CHECK-NEXT: {{arith.constant|vector.store}}
// CHECK: mk.return
// CHECK: mk.launch @k0_0
mk.kernel @k0(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>, %b: tensor<32xf32>) -> tensor<8x32xf32> {
  %y = nn.contract %x, %w {extents = array<i64: 8, 32, 32>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %b : tensor<8x32xf32>, tensor<32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  mk.yield %z : tensor<8x32xf32>
}
func.func @main(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>, %b: tensor<32xf32>) -> tensor<8x32xf32> {
  %z = mk.dispatch @k0(%x, %w, %b) : (tensor<8x32xf32>, tensor<32x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  return %z : tensor<8x32xf32>
}

// -----

// Tests that lengths that vectors don't divide end in a masked vector, and that launches with other
// strides get variants of their own.

#id1 = affine_map<(d0) -> (d0)>

// CHECK-LABEL: mk.variant @k0_0
// CHECK: scf.for
// CHECK: vector.load
// CHECK: vector.store
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK-LABEL: mk.variant @k0_1
// CHECK: vector.gather
mk.kernel @k0(%x: tensor<40xf32>) -> tensor<40xf32> {
  %e = tensor.empty() : tensor<40xf32>
  %z = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<40xf32>
  mk.yield %z : tensor<40xf32>
}
func.func @main(%x: tensor<40xf32>, %y: tensor<40x2xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %a = mk.dispatch @k0(%x) : (tensor<40xf32>) -> tensor<40xf32>
  %s = tensor.extract_slice %y[0, 0] [40, 1] [1, 1] : tensor<40x2xf32> to tensor<40x1xf32>
  %c = tensor.collapse_shape %s [[0, 1]] : tensor<40x1xf32> into tensor<40xf32>
  %b = mk.dispatch @k0(%c) : (tensor<40xf32>) -> tensor<40xf32>
  return %a, %b : tensor<40xf32>, tensor<40xf32>
}

// -----

// Tests that the border of a convolution is generated without the taps outside the image: the two
// tiles at the border are apart from the loop over the middle.

// CHECK-LABEL: mk.variant @k0_0
// CHECK-NOT: arith.select
// CHECK: vector.fma
mk.kernel @k0(%x: tensor<1x8x56x16xf32>, %w: tensor<1x3x3x16x16xf32>) -> tensor<1x8x56x16xf32> {
  %y = nn.contract %x, %w {extents = array<i64: 1, 8, 56, 16, 3, 3, 16>,
    maps = [affine_map<(n, h, w, k, r, s, c) -> (n, h + r - 1, w + s - 1, c)>,
            affine_map<(n, h, w, k, r, s, c) -> (k floordiv 16, r, s, c, k mod 16)>,
            affine_map<(n, h, w, k, r, s, c) -> (n, h, w, k)>]
  } : (tensor<1x8x56x16xf32>, tensor<1x3x3x16x16xf32>) -> tensor<1x8x56x16xf32>
  mk.yield %y : tensor<1x8x56x16xf32>
}
func.func @main(%x: tensor<1x8x56x16xf32>, %w: tensor<1x3x3x16x16xf32>) -> tensor<1x8x56x16xf32> {
  %z = mk.dispatch @k0(%x, %w) : (tensor<1x8x56x16xf32>, tensor<1x3x3x16x16xf32>) -> tensor<1x8x56x16xf32>
  return %z : tensor<1x8x56x16xf32>
}

// -----

// Tests that a contraction whose result is an output too is stored, and not only kept in registers.

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: mk.variant @shared_0
// CHECK-SAME: memref<1024xf32>, %[[RESULT:arg[0-9]+]]: memref<256xf32>, %[[EPILOGUE:arg[0-9]+]]: memref<256xf32>
// CHECK: vector.store %{{.+}}, %[[RESULT]]
// CHECK: arith.negf
// CHECK: vector.store %{{.+}}, %[[EPILOGUE]]
mk.kernel @shared(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %y = nn.contract %x, %w {extents = array<i64: 8, 32, 32>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  mk.yield %y, %z : tensor<8x32xf32>, tensor<8x32xf32>
}
func.func @main(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %y, %z = mk.dispatch @shared(%x, %w) : (tensor<8x32xf32>, tensor<32x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>)
  return %y, %z : tensor<8x32xf32>, tensor<8x32xf32>
}

// -----

// Tests that a large product is cut so that its factors are read again as little as possible: 12 parts of
// the columns, 4 of the rows, not 16 of the rows.

// CHECK-LABEL: mk.variant @k0_0
// CHECK-SAME: tile_count = 48
mk.kernel @k0(%x: tensor<128x3072xf32>, %w: tensor<3072x768xf32>) -> tensor<128x768xf32> {
  %y = nn.contract %x, %w {extents = array<i64: 128, 768, 3072>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<128x3072xf32>, tensor<3072x768xf32>) -> tensor<128x768xf32>
  mk.yield %y : tensor<128x768xf32>
}
func.func @main(%x: tensor<128x3072xf32>, %w: tensor<3072x768xf32>) -> tensor<128x768xf32> {
  %z = mk.dispatch @k0(%x, %w) : (tensor<128x3072xf32>, tensor<3072x768xf32>) -> tensor<128x768xf32>
  return %z : tensor<128x768xf32>
}

// -----

// Tests that arg_reduce runs vectors along the axis, or along a parallel loop where that is contiguous.

// CHECK-LABEL: mk.variant @k0_0
// CHECK: scf.for {{.+}} -> (vector<16xf32>, vector<16xi32>)
// CHECK: vector.load
// CHECK-LABEL: mk.variant @k1_0
// CHECK: scf.for {{.+}} -> (vector<16xf32>, vector<16xi32>)
// CHECK: vector.load
// CHECK: vector.store {{.+}} vector<16xi64>
mk.kernel @k0(%x: tensor<4x320xf32>) -> tensor<4xi64> {
  %y = nn.arg_reduce %x {axis = 1 : i64, is_max = true, last = false} : (tensor<4x320xf32>) -> tensor<4xi64>
  mk.yield %y : tensor<4xi64>
}
mk.kernel @k1(%x: tensor<4x320xf32>) -> tensor<320xi64> {
  %y = nn.arg_reduce %x {axis = 0 : i64, is_max = true, last = false} : (tensor<4x320xf32>) -> tensor<320xi64>
  mk.yield %y : tensor<320xi64>
}
func.func @main(%x: tensor<4x320xf32>) -> (tensor<4xi64>, tensor<320xi64>) {
  %y = mk.dispatch @k0(%x) : (tensor<4x320xf32>) -> tensor<4xi64>
  %z = mk.dispatch @k1(%x) : (tensor<4x320xf32>) -> tensor<320xi64>
  return %y, %z : tensor<4xi64>, tensor<320xi64>
}
