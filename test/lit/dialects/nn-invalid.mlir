// RUN: mk-opt %s --split-input-file --verify-diagnostics

// Tests that each numbered rule of nn.contract is checked.

func.func @c2(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{(C2) result map}}
  %y = nn.contract %x, %w {extents = array<i64: 4, 4, 4>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m + 1, n)>]
  } : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @c4(%x: tensor<4x4xf32>, %w: tensor<3x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{(C4) w index d2 is not a dim, or leaves w's dim 0 of size 3}}
  %y = nn.contract %x, %w {extents = array<i64: 4, 4, 4>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @c5(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{(C5) result dim 1 is 3, but its extent is 4}}
  %y = nn.contract %x, %w {extents = array<i64: 4, 4, 4>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @c6(%x: tensor<4x4xf32>, %w: tensor<4x4xf64>) -> tensor<4x4xf32> {
  // expected-error@+1 {{(C6) element types differ: 'f32', 'f64', 'f32'}}
  %y = nn.contract %x, %w {extents = array<i64: 4, 4, 4>,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  } : (tensor<4x4xf32>, tensor<4x4xf64>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
