// No machine has the memory of %w.
mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  mk.yield %y : tensor<4xf32>
}
func.func @main() attributes {mk.inputs = [], mk.outputs = [{name = "y", type = tensor<4xf32>}]} {
  %c = mk.buffer weights {bytes = 16 : i64, index = 0 : i64, value = dense<1.0> : tensor<4xf32>} : memref<16xi8>
  %w = mk.buffer weights {bytes = 1152921504606846976 : i64, index = 0 : i64} : memref<1152921504606846976xi8>
  %y = mk.buffer output {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  mk.launch @k0(%c, %w) {compile_time, num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 1>, array<i64: 1>]} : memref<16xi8>, memref<1152921504606846976xi8>
  mk.launch @k0(%w, %y) {num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 1>, array<i64: 1>]} : memref<1152921504606846976xi8>, memref<16xi8>
  return
}
