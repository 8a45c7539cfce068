// RUN: mk-opt %s --mk-verify-kernels --split-input-file --verify-diagnostics

// Tests that kernels, dispatches, views, concatenations and constants pass.

mk.kernel @k0() -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  mk.yield %y : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4x2xf32> {
  %w = arith.constant dense<1.0> : tensor<4xf32>
  %a = mk.dispatch @k0() : () -> tensor<4xf32>
  %c = tensor.concat dim(0) %a, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %y = tensor.expand_shape %c [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @main() -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{'tensor.empty' op is no dispatch, view, concatenation or constant}}
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{'tensor.expand_shape' op in kernel @k0 is no structured op}}
  %y = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  mk.yield %y : tensor<2x2xf32>
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{(L9) fills what is no tensor.empty}}
  %y = linalg.fill ins(%zero : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  mk.yield %y : tensor<4xf32>
}

// -----

// expected-error@+1 {{'func.func' op is neither a kernel nor @main}}
func.func @other() {
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{'mk.yield' op gives 'tensor<4xf32>', but the kernel's results are 'tensor<2x2xf32>'}}
  mk.yield %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{takes or gives 'tensor<?xf32>', which is no static tensor of f32, i32, i64 or i1}}
func.func @main(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error@+1 {{takes or gives 'memref<4xf32>', which is no static tensor of f32, i32, i64 or i1}}
mk.kernel @k0(%x: memref<4xf32>) {
  mk.yield
}
func.func @main() {
  return
}

// -----

// expected-error@+1 {{has 0 blocks, expected 1}}
func.func private @main()
