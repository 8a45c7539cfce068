// RUN: mk-opt %s --mk-verify-launches --split-input-file --verify-diagnostics

// Tests that launches within the rules pass: strided places, weights made at compile time.

mk.kernel @k0(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  mk.yield %x : tensor<2x2xf32>
}
func.func @main() attributes {mk.inputs = [], mk.outputs = [{name = "y", type = tensor<7xf32>}]} {
  %w = mk.buffer weights {bytes = 16 : i64, index = 0 : i64, value = dense<1.0> : tensor<2x2xf32>} : memref<16xi8>
  %f = mk.buffer weights {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  %y = mk.buffer output {bytes = 28 : i64, index = 0 : i64} : memref<28xi8>
  mk.launch @k0(%w, %f) {compile_time, num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 2, 1>, array<i64: 2, 1>]} : memref<16xi8>, memref<16xi8>
  mk.launch @k0(%f, %y) {num_inputs = 1 : i64, offsets = array<i64: 0, 4>, strides = [array<i64: 2, 1>, array<i64: 4, 1>]} : memref<16xi8>, memref<28xi8>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tensor.expand_shape' op is neither a buffer nor a launch}}
  %y = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return
}

// -----

func.func @main() {
  // expected-error@+1 {{has 16 bytes, but the type 'memref<12xi8>'}}
  %a = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<12xi8>
  return
}

// -----

func.func @main() {
  // expected-error@+1 {{has a value, but is no weight}}
  %a = mk.buffer arena {bytes = 4 : i64, index = 0 : i64, value = dense<1.0> : tensor<f32>} : memref<4xi8>
  return
}

// -----

func.func @main() attributes {mk.inputs = [{}]} {
  // expected-error@+1 {{is number 1 of 1 inputs}}
  %a = mk.buffer input {bytes = 4 : i64, index = 1 : i64} : memref<4xi8>
  return
}

// -----

func.func @main() {
  %a = mk.buffer arena {bytes = 4 : i64, index = 0 : i64} : memref<4xi8>
  // expected-error@+1 {{unknown kernel or variant @missing}}
  mk.launch @missing(%a) {num_inputs = 0 : i64, offsets = array<i64: 0>, strides = [array<i64>]} : memref<4xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() attributes {mk.inputs = [{}]} {
  %x = mk.buffer input {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  %a = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{reads 2 operands, but @k0 has 1}}
  mk.launch @k0(%x, %a) {num_inputs = 2 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 1>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() attributes {mk.inputs = [{}]} {
  %x = mk.buffer input {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  %a = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{operand 1 covers bytes 4 to 20, but its buffer has 16}}
  mk.launch @k0(%x, %a) {num_inputs = 1 : i64, offsets = array<i64: 0, 4>, strides = [array<i64: 1>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() attributes {mk.inputs = [{}]} {
  %x = mk.buffer input {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  %a = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{operand 0 covers bytes 0 to 28, but its buffer has 16}}
  mk.launch @k0(%x, %a) {num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 2>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() attributes {mk.inputs = [{}]} {
  %x = mk.buffer input {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  %a = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{operand 0 has 2 strides, but its tensor has rank 1}}
  mk.launch @k0(%x, %a) {num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 2, 1>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() {
  %x = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  %a = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{operand 0 reads a buffer that nothing has written}}
  mk.launch @k0(%x, %a) {num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 1>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() attributes {mk.inputs = [{}]} {
  %x = mk.buffer input {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{operand 1 writes to an input}}
  mk.launch @k0(%x, %x) {num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 1>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() {
  %w = mk.buffer weights {bytes = 16 : i64, index = 0 : i64, value = dense<1.0> : tensor<4xf32>} : memref<16xi8>
  // expected-error@+1 {{operand 1 writes to a constant}}
  mk.launch @k0(%w, %w) {compile_time, num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 1>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() attributes {mk.inputs = [{}]} {
  %x = mk.buffer input {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  %w = mk.buffer weights {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{is done at compile time, but operand 0 reads input memory}}
  mk.launch @k0(%x, %w) {compile_time, num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 1>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() attributes {mk.inputs = [{}]} {
  %x = mk.buffer input {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  %w = mk.buffer weights {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{is done at run time, but operand 1 writes to weights memory}}
  mk.launch @k0(%x, %w) {num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 1>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() {
  %w = mk.buffer weights {bytes = 16 : i64, index = 0 : i64, value = dense<1.0> : tensor<4xf32>} : memref<16xi8>
  %a = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{is done at compile time, but operand 1 writes to arena memory}}
  mk.launch @k0(%w, %a) {compile_time, num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 1>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

// expected-error@+1 {{has no attribute mk.outputs}}
func.func @main() attributes {mk.inputs = []} {
  return
}

// -----

// expected-error@+1 {{has mk.inputs whose entry 0 is no name and type of a static tensor: {name = "x"}}}
func.func @main() attributes {mk.inputs = [{name = "x"}], mk.outputs = []} {
  return
}

// -----

func.func @main() {
  // expected-error@+1 {{has 4 bytes, but its value has 8}}
  %w = mk.buffer weights {bytes = 4 : i64, index = 0 : i64, value = dense<1.0> : tensor<2xf32>} : memref<4xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main(%x: memref<16xi8>) {
  %a = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{operand 0 is no mk.buffer}}
  mk.launch @k0(%x, %a) {num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [array<i64: 1>, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

mk.kernel @k0(%x: tensor<4xf32>) -> tensor<4xf32> {
  mk.yield %x : tensor<4xf32>
}
func.func @main() attributes {mk.inputs = [{}]} {
  %x = mk.buffer input {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  %a = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
  // expected-error@+1 {{operand 0 has strides that are no array of i64}}
  mk.launch @k0(%x, %a) {num_inputs = 1 : i64, offsets = array<i64: 0, 0>, strides = [1, array<i64: 1>]} : memref<16xi8>, memref<16xi8>
  return
}

// -----

// expected-error@+1 {{takes or gives 'tensor<?xf32>', which is no static tensor of f32, i32, i64 or i1}}
mk.kernel @k0(%x: tensor<?xf32>) -> tensor<?xf32> {
  mk.yield %x : tensor<?xf32>
}
func.func @main() {
  return
}

// -----

// expected-error@+1 {{which does not end in scratch, environment and tile}}
mk.variant @v(%a: memref<4xf32>) attributes {kernel = @k, target = "host", tile_count = 1 : i64, scratch_bytes = 0 : i64, flops = 0 : i64, access_code = array<i64>, accesses = []} {
  mk.return
}
func.func @main() {
  return
}

// -----

// expected-error@+1 {{has 0 tiles}}
mk.variant @v(%a: memref<4xf32>, %s: memref<?xi8>, %e: !llvm.ptr, %t: index) attributes {kernel = @k, target = "host", tile_count = 0 : i64, scratch_bytes = 0 : i64, flops = 0 : i64, access_code = array<i64>, accesses = []} {
  mk.return
}
func.func @main() {
  return
}

// -----

// expected-error@+1 {{has access_code of 4 numbers, which are no instructions of 5}}
mk.variant @v(%a: memref<4xf32>, %s: memref<?xi8>, %e: !llvm.ptr, %t: index) attributes {kernel = @k, target = "host", tile_count = 1 : i64, scratch_bytes = 0 : i64, flops = 0 : i64, access_code = array<i64: 0, 0, 0, 0>, accesses = []} {
  mk.return
}
func.func @main() {
  return
}

// -----

// expected-error@+1 {{has an access to operand 1 of 1}}
mk.variant @v(%a: memref<4xf32>, %s: memref<?xi8>, %e: !llvm.ptr, %t: index) attributes {kernel = @k, target = "host", tile_count = 1 : i64, scratch_bytes = 0 : i64, flops = 0 : i64, access_code = array<i64: 0, 0, 0, 0, 4>, accesses = [array<i64: 1, 1, 0, 0, 0>]} {
  mk.return
}
func.func @main() {
  return
}

// -----

// expected-error@+1 {{has accesses whose entry 0 is no operand, mode, rank (up to 6), offset, inner bytes and dims}}
mk.variant @v(%a: memref<4xf32>, %s: memref<?xi8>, %e: !llvm.ptr, %t: index) attributes {kernel = @k, target = "host", tile_count = 1 : i64, scratch_bytes = 0 : i64, flops = 0 : i64, access_code = array<i64: 0, 0, 0, 0, 4>, accesses = [array<i64: 0, 1, 7, 0, 0>]} {
  mk.return
}
func.func @main() {
  return
}
