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
