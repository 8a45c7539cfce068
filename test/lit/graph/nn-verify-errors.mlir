// RUN: mk-opt %s --pass-pipeline='builtin.module(func.func(nn-verify))' --split-input-file --verify-diagnostics

#id = affine_map<(d0) -> (d0)>

// Tests that everything within the rules passes.

func.func @ok(%x: tensor<4xf32>, %b: tensor<1xi1>) -> (tensor<2xf32>, tensor<f32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<1.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<2xf32>
  %odd = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * -2 + 3)>, affine_map<(d0) -> (0)>, #id], iterator_types = ["parallel"]}
      ins(%x, %b : tensor<4xf32>, tensor<1xi1>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: f32, %c: i1, %o: f32):
    %i = linalg.index 0 : index
    %s = arith.select %c, %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  %e0 = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#id, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %c = tensor.concat dim(0) %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %odd, %sum, %c : tensor<2xf32>, tensor<f32>, tensor<8xf32>
}

// -----

func.func @l1(%x: tensor<2xf32>) -> tensor<4xf32> {
  %c = arith.constant 0.0 : f32
  // expected-error@+1 {{'tensor.pad' op (L1) is no op of level 2}}
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<2xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @l2() -> tensor<2xf64> {
  // expected-error@+1 {{(L2) has type 'tensor<2xf64>', which is no static tensor of f32, f16, bf16, i32, i64 or i1}}
  %y = arith.constant dense<1.0> : tensor<2xf64>
  return %y : tensor<2xf64>
}

// -----

// expected-error@+1 {{(L2) has an argument of type 'tensor<?xf32>', which is no static tensor of f32, f16, bf16, i32, i64 or i1}}
func.func @l2_argument(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

func.func @l3() -> tensor<3xf32> {
  // expected-error@+1 {{(L3) is not dense}}
  %w = arith.constant sparse<[[0]], [1.0]> : tensor<3xf32>
  return %w : tensor<3xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @l4_reduction(%x: tensor<4xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  // expected-error@+1 {{(L4) has 1 reductions, so its outs must be a linalg.fill}}
  %sum = linalg.generic {indexing_maps = [#id, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @l4_elementwise(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{(L4) has 0 reductions, so its outs must be a tensor.empty}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @l5(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  // expected-error@+1 {{(L5) index d0 + d1 of input 0 is no dim, constant or d * c0 + c1}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

func.func @l6(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  // expected-error@+1 {{(L6) has the output map (d0, d1) -> (d1, d0), which is not the identity}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x2xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @l7_region(%x: tensor<4xi1>) -> tensor<4xi1> {
  %e = tensor.empty() : tensor<4xi1>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xi1>) outs(%e : tensor<4xi1>) {
  ^bb0(%a: i1, %o: i1):
    // expected-error@+1 {{'scf.if' op (L7) is no scalar op of arith or math}}
    %r = scf.if %a -> i1 {
      scf.yield %a : i1
    } else {
      scf.yield %a : i1
    }
    linalg.yield %r : i1
  } -> tensor<4xi1>
  return %y : tensor<4xi1>
}

// -----

func.func @l8_rank(%x: tensor<4x2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{(L8) reduces the rank from 2 to 1}}
  %y = tensor.extract_slice %x[0, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @l8_static(%x: tensor<4xf32>) -> tensor<2xf32> {
  %i = arith.constant 1 : index
  // expected-error@+1 {{(L8) has offsets, sizes or strides that are not static}}
  %y = tensor.extract_slice %x[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @l9_empty() -> tensor<4xf32> {
  // expected-error@+1 {{(L9) is used by 'func.return', and not as its outs}}
  %e = tensor.empty() : tensor<4xf32>
  return %e : tensor<4xf32>
}

// -----

func.func @l9_fill(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{(L9) fills what is no tensor.empty}}
  %y = linalg.fill ins(%zero : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Tests that elements of f16 and bf16 are converted and selected in bodies, and that nothing is computed in them.

#id = affine_map<(d0) -> (d0)>

func.func @l10(%x: tensor<4xf16>, %n: tensor<4xi64>, %c: tensor<4xi1>) -> (tensor<4xf16>, tensor<4xf16>) {
  %e = tensor.empty() : tensor<4xf16>
  %s = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %n, %c : tensor<4xf16>, tensor<4xi64>, tensor<4xi1>) outs(%e : tensor<4xf16>) {
  ^bb0(%a: f16, %i: i64, %p: i1, %o: f16):
    %f = arith.sitofp %i : i64 to f16
    %w = arith.extf %a : f16 to f32
    %t = arith.truncf %w : f32 to f16
    %r = arith.select %p, %f, %t : f16
    linalg.yield %r : f16
  } -> tensor<4xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<4xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%a: f16, %o: f16):
    // expected-error@+1 {{(L10) computes in f16 or bf16}}
    %r = arith.addf %a, %a : f16
    linalg.yield %r : f16
  } -> tensor<4xf16>
  return %s, %y : tensor<4xf16>, tensor<4xf16>
}
