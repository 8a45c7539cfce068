// RUN: mk-opt %s --mk-pack-contractions --split-input-file | FileCheck %s

// Tests that a constant w is padded to whole blocks of lanes, split, and brought into the order of
// the reduction.

// CHECK-DAG: #[[PACKED:.+]] = affine_map<(d0, d1, d2) -> (d1 floordiv 32, d2, d1 mod 32)>
// CHECK-LABEL: func @constant_weight
// CHECK: %[[ZEROS:.+]] = linalg.fill {{.*}} -> tensor<64x28xf32>
// CHECK: %[[PADDED:.+]] = tensor.concat dim(1) %{{.+}}, %[[ZEROS]]
// CHECK: %[[SPLIT:.+]] = tensor.expand_shape %[[PADDED]] {{.*}} into tensor<64x4x32xf32>
// CHECK: %[[W:.+]] = linalg.generic {{.*}} ins(%[[SPLIT]] {{.*}} outs({{.*}} tensor<4x64x32xf32>
// CHECK: nn.contract %{{.+}}, %[[W]]
// CHECK-SAME: #[[PACKED]]
func.func @constant_weight(%x: tensor<8x64xf32>) -> tensor<8x100xf32> {
  %w = mk.weight #mk.weight<"m.onnx", 0, 25600, 0> : tensor<64x100xf32>
  %y = nn.contract %x, %w {extents = array<i64: 8, 100, 64>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<8x64xf32>, tensor<64x100xf32>) -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// -----

// Tests that a w made at run time stays as it is when few points use it and its lanes are contiguous.

// CHECK-LABEL: func @little_reuse
// CHECK-NEXT: nn.contract
// CHECK-NEXT: return
func.func @little_reuse(%x: tensor<8x64xf32>, %w: tensor<64x100xf32>) -> tensor<8x100xf32> {
  %y = nn.contract %x, %w {extents = array<i64: 8, 100, 64>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<8x64xf32>, tensor<64x100xf32>) -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// -----

// Tests that a transposed w made at run time is packed: its lanes are not contiguous.

// CHECK-LABEL: func @transposed
// CHECK: linalg.generic
// CHECK: nn.contract
func.func @transposed(%x: tensor<8x64xf32>, %w: tensor<100x64xf32>) -> tensor<8x100xf32> {
  %y = nn.contract %x, %w {extents = array<i64: 8, 100, 64>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<8x64xf32>, tensor<100x64xf32>) -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// -----

// Tests that a product with a vector gets blocks of 128 lanes: each w value is used once, and more
// independent sums hide the latency.

// CHECK-LABEL: func @vector
// CHECK: tensor<2x64x128xf32>
func.func @vector(%x: tensor<64xf32>) -> tensor<256xf32> {
  %w = mk.weight #mk.weight<"m.onnx", 0, 65536, 0> : tensor<64x256xf32>
  %y = nn.contract %x, %w {extents = array<i64: 256, 64>,
    maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>]
  } : (tensor<64xf32>, tensor<64x256xf32>) -> tensor<256xf32>
  return %y : tensor<256xf32>
}

// -----

// Tests that f16 is extended where it is used if few points use each value of w: reading w takes longest then.

// CHECK-LABEL: func @half_little_reuse
// CHECK-NOT: arith.extf
// CHECK: nn.contract {{.*}} : (tensor<8x64xf16>, tensor<3x64x32xf16>) -> tensor<8x96xf32>
func.func @half_little_reuse(%x: tensor<8x64xf16>) -> tensor<8x96xf32> {
  %w = mk.weight #mk.weight<"m.onnx", 0, 12288, 0> : tensor<64x96xf16>
  %y = nn.contract %x, %w {extents = array<i64: 8, 96, 64>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<8x64xf16>, tensor<64x96xf16>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}

// -----

// Tests that x is extended before if the arithmetic takes longer, and that w stays in its bytes for a while more.

// CHECK-LABEL: func @half_some_reuse
// CHECK: %[[X:.+]] = linalg.generic {{.*}} ins(%{{.+}} : tensor<32x64xf16>) outs(%{{.+}} : tensor<32x64xf32>)
// CHECK: arith.extf
// CHECK-NOT: arith.extf
// CHECK: nn.contract %[[X]], %{{.+}} : (tensor<32x64xf32>, tensor<3x64x32xf16>) -> tensor<32x96xf32>
func.func @half_some_reuse(%x: tensor<32x64xf16>) -> tensor<32x96xf32> {
  %w = mk.weight #mk.weight<"m.onnx", 0, 12288, 0> : tensor<64x96xf16>
  %y = nn.contract %x, %w {extents = array<i64: 32, 96, 64>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<32x64xf16>, tensor<64x96xf16>) -> tensor<32x96xf32>
  return %y : tensor<32x96xf32>
}

// -----

// Tests that both are extended before if the arithmetic outweighs all, w while it is packed.

// CHECK-LABEL: func @half_much_reuse
// CHECK: %[[X:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<256x64xf32>)
// CHECK: arith.extf
// CHECK: %[[W:.+]] = linalg.generic {{.*}} ins(%{{.+}} : tensor<64x3x32xbf16>) outs(%{{.+}} : tensor<3x64x32xf32>)
// CHECK: arith.extf
// CHECK: nn.contract %[[X]], %[[W]]
func.func @half_much_reuse(%x: tensor<256x64xbf16>) -> tensor<256x96xf32> {
  %w = mk.weight #mk.weight<"m.onnx", 0, 12288, 0> : tensor<64x96xbf16>
  %y = nn.contract %x, %w {extents = array<i64: 256, 96, 64>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<256x64xbf16>, tensor<64x96xbf16>) -> tensor<256x96xf32>
  return %y : tensor<256x96xf32>
}
