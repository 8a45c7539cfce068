// RUN: mk-opt %s | mk-opt | FileCheck %s

// Tests that every op of the nn dialect survives a round trip.

// CHECK-LABEL: func @convolution
func.func @convolution(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x32xf32>) -> tensor<1x56x56x32xf32> {
  // CHECK: nn.contract %{{.+}}, %{{.+}} {extents = array<i64: 1, 56, 56, 32, 3, 3, 64>
  %y = nn.contract %x, %w {
    extents = array<i64: 1, 56, 56, 32, 3, 3, 64>,
    maps = [affine_map<(n, h, w, k, r, s, c) -> (n, h + r - 1, w + s - 1, c)>,
            affine_map<(n, h, w, k, r, s, c) -> (r, s, c, k)>,
            affine_map<(n, h, w, k, r, s, c) -> (n, h, w, k)>]
  } : (tensor<1x56x56x64xf32>, tensor<3x3x64x32xf32>) -> tensor<1x56x56x32xf32>
  return %y : tensor<1x56x56x32xf32>
}

// CHECK-LABEL: func @others
func.func @others(%x: tensor<1x8x8x4xf32>, %i: tensor<3xi64>) -> (tensor<1x4x4x4xf32>, tensor<1x3x8x4xf32>, tensor<1x8x8xi64>) {
  // CHECK: nn.pool max %{{.+}} {extents
  %p = nn.pool max %x {
    extents = array<i64: 1, 4, 4, 4, 2, 2>,
    maps = [affine_map<(n, h, w, c, r, s) -> (n, h * 2 + r, w * 2 + s, c)>,
            affine_map<(n, h, w, c, r, s) -> (n, h, w, c)>]
  } : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
  // CHECK: nn.gather %{{.+}}, %{{.+}} {axis = 1 : i64}
  %g = nn.gather %x, %i {axis = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3xi64>) -> tensor<1x3x8x4xf32>
  // CHECK: nn.arg_reduce %{{.+}} {axis = 3 : i64, is_max = true, last = false}
  %a = nn.arg_reduce %x {axis = 3 : i64, is_max = true, last = false} : (tensor<1x8x8x4xf32>) -> tensor<1x8x8xi64>
  return %p, %g, %a : tensor<1x4x4x4xf32>, tensor<1x3x8x4xf32>, tensor<1x8x8xi64>
}
