// RUN: mk-opt %s --mk-share-kernels --split-input-file | FileCheck %s
// RUN: mk-opt %s --mk-share-kernels --mk-verify-kernels --split-input-file 2>&1 | FileCheck %s --check-prefix=REMARK

#id = affine_map<(d0) -> (d0)>

// Tests that kernels that differ in one scalar become one kernel with an operand for it; the zero, in which they agree,
// stays a constant. The kernel of the first dispatch is the one that stays.

// REMARK: remark: runs @first, which stands for 2 kernels that differ in 1 scalars: these are operands
// CHECK-NOT: mk.kernel @second
// CHECK: mk.kernel @first(%[[X:.+]]: tensor<8xf32>, %[[SLOPE:.+]]: tensor<f32>) -> tensor<8xf32>
// CHECK: %[[ZERO:.+]] = arith.constant 0.0
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[SLOPE]] : tensor<8xf32>, tensor<f32>)
// CHECK-NEXT: ^bb0(%[[IN:.+]]: f32, %[[S:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: arith.cmpf olt, %[[IN]], %[[ZERO]]
// CHECK-NEXT: arith.mulf %[[S]], %[[IN]]
// CHECK-NOT: mk.kernel
// CHECK-LABEL: func @main
// CHECK-DAG: %[[A:.+]] = arith.constant dense<1.000000e-01> : tensor<f32>
// CHECK-DAG: %[[B:.+]] = arith.constant dense<2.000000e-01> : tensor<f32>
// CHECK: %[[Y:.+]] = mk.dispatch @first(%{{.+}}, %[[A]])
// CHECK: %[[Z:.+]] = mk.dispatch @first(%[[Y]], %[[B]])
// CHECK: mk.dispatch @first(%[[Z]], %[[A]])
mk.kernel @second(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %alpha = arith.constant 0.2 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.cmpf olt, %in, %zero : f32
    %s = arith.mulf %alpha, %in : f32
    %r = arith.select %n, %s, %in : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @first(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %alpha = arith.constant 0.1 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.cmpf olt, %in, %zero : f32
    %s = arith.mulf %alpha, %in : f32
    %r = arith.select %n, %s, %in : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mk.dispatch @first(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = mk.dispatch @second(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %c = mk.dispatch @first(%b) : (tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Tests that uses which hold equal values in every kernel share an operand, whether a kernel has one constant for them
// or several, and that a bound that is a number is compared: only the other operand may be NaN.

// CHECK: mk.kernel @one(%{{.+}}: tensor<8xf32>, %[[BOUND:.+]]: tensor<f32>, %[[SHIFT:.+]]: tensor<f32>)
// CHECK: ^bb0(%[[IN:.+]]: f32, %[[B:.+]]: f32, %[[S:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: %[[ABOVE:.+]] = arith.cmpf uge, %[[IN]], %[[B]]
// CHECK-NEXT: %[[MAX:.+]] = arith.select %[[ABOVE]], %[[IN]], %[[B]]
// CHECK-NEXT: %[[DIFFERENCE:.+]] = arith.subf %[[MAX]], %[[B]]
// CHECK-NEXT: arith.addf %[[DIFFERENCE]], %[[S]]
// CHECK-NOT: mk.kernel
// CHECK-LABEL: func @main
// CHECK: mk.dispatch @one(%{{.+}}, %[[ONE:.+]], %[[ONE]])
// CHECK: mk.dispatch @one(%{{.+}}, %[[TWO:.+]], %[[ONE]])
// CHECK: mk.dispatch @one(%{{.+}}, %[[ONE]], %[[TWO]])
mk.kernel @one(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %c : f32
    %d = arith.subf %m, %c : f32
    %s = arith.addf %d, %c : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @two(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b = arith.constant 2.0 : f32
    %c = arith.constant 1.0 : f32
    %m = arith.maximumf %in, %b : f32
    %d = arith.subf %m, %b : f32
    %s = arith.addf %d, %c : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @three(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 2.0 : f32
  %b = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %b : f32
    %d = arith.subf %m, %b : f32
    %s = arith.addf %d, %c : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mk.dispatch @one(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = mk.dispatch @two(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %c = mk.dispatch @three(%b) : (tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Tests that constants that shape the code keep kernels apart: divisors, factors of integers, exponents, what a
// comparison with NaN gives.

// CHECK-COUNT-8: mk.kernel {{.*}}tensor<8x{{...}}>) -> tensor<8x{{...}}>
// CHECK-LABEL: func @main
mk.kernel @half(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.divf %in, %c : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @third(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.divf %in, %c : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @double(%x: tensor<8xi64>) -> tensor<8xi64> {
  %c = arith.constant 2 : i64
  %e = tensor.empty() : tensor<8xi64>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xi64>) outs(%e : tensor<8xi64>) {
  ^bb0(%in: i64, %out: i64):
    %r = arith.muli %in, %c : i64
    linalg.yield %r : i64
  } -> tensor<8xi64>
  mk.yield %y : tensor<8xi64>
}
mk.kernel @triple(%x: tensor<8xi64>) -> tensor<8xi64> {
  %c = arith.constant 3 : i64
  %e = tensor.empty() : tensor<8xi64>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xi64>) outs(%e : tensor<8xi64>) {
  ^bb0(%in: i64, %out: i64):
    %r = arith.muli %in, %c : i64
    linalg.yield %r : i64
  } -> tensor<8xi64>
  mk.yield %y : tensor<8xi64>
}
mk.kernel @square(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.powf %in, %c : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @cube(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.powf %in, %c : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @number(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %in, %c : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @nan(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 0x7FC00000 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %in, %c : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>, %i: tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>) {
  %a = mk.dispatch @half(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = mk.dispatch @third(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %c = mk.dispatch @square(%b) : (tensor<8xf32>) -> tensor<8xf32>
  %d = mk.dispatch @cube(%c) : (tensor<8xf32>) -> tensor<8xf32>
  %e = mk.dispatch @number(%d) : (tensor<8xf32>) -> tensor<8xf32>
  %f = mk.dispatch @nan(%e) : (tensor<8xf32>) -> tensor<8xf32>
  %j = mk.dispatch @double(%i) : (tensor<8xi64>) -> tensor<8xi64>
  %k = mk.dispatch @triple(%j) : (tensor<8xi64>) -> tensor<8xi64>
  return %f, %k : tensor<8xf32>, tensor<8xi64>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Tests that what a reduction or a fill starts from stays a constant, and that kernels of different maps, types or
// shapes are no family.

// CHECK-COUNT-6: mk.kernel {{.*}}@{{[a-z]+}}({{(%.+: tensor<[48]x8xf..>)?}}) -> tensor
// CHECK-LABEL: func @main
mk.kernel @zero(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%c : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %out : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @one(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%c : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %out : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @ones() -> tensor<8xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.fill ins(%c : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @twos() -> tensor<8xf32> {
  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.fill ins(%c : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
mk.kernel @wide(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %c : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  mk.yield %y : tensor<8x8xf32>
}
mk.kernel @narrow(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %c : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  mk.yield %y : tensor<4x8xf32>
}
func.func @main(%x: tensor<8x8xf32>, %z: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<4x8xf32>) {
  %a = mk.dispatch @zero(%x) : (tensor<8x8xf32>) -> tensor<8xf32>
  %b = mk.dispatch @one(%x) : (tensor<8x8xf32>) -> tensor<8xf32>
  %c = mk.dispatch @ones() : () -> tensor<8xf32>
  %d = mk.dispatch @twos() : () -> tensor<8xf32>
  %e = mk.dispatch @wide(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %f = mk.dispatch @narrow(%z) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a, %b, %c, %d, %e, %f : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<4x8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Tests that a kernel alone keeps its constants, however often it runs.

// CHECK: mk.kernel @alone(%{{[^:]+}}: tensor<8xf32>) ->
// CHECK-LABEL: func @main
mk.kernel @alone(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.mulf %in, %c : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  mk.yield %y : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mk.dispatch @alone(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = mk.dispatch @alone(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}
