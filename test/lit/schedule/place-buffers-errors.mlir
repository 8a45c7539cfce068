// RUN: mk-opt %s --mk-place-buffers --verify-diagnostics

// Tests that an op that no level-3 function holds is named.

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is no dispatch, view, concatenation or constant}}
  %a = arith.addf %x, %x : tensor<4xf32>
  return %a : tensor<4xf32>
}
