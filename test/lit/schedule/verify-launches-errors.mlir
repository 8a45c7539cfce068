// RUN: mk-opt %s --mk-verify-launches --split-input-file --verify-diagnostics

// Tests that launches within the rules pass: strided places, weights made at compile time.

mk.kernel @k0(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  mk.yield %x : tensor<2x2xf32>
}
func.func @main() attributes {mk.inputs = [{}], mk.outputs = [{}]} {
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
