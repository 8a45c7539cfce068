// RUN: mk-opt %s --mk-place-buffers --mk-select-host-variants | FileCheck %s --check-prefixes=CHECK,INSTRUCTIONS
// RUN: mk-opt %s --mk-place-buffers --mk-select-host-variants='converts-half=false' | FileCheck %s --check-prefixes=CHECK,INTEGERS

// Tests that f16 and bf16 are bits in memory, and become f32 by instructions for f16 where the CPU has them, else by
// integer arithmetic; bf16 always so.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: mk.variant @k0_0
// CHECK-SAME: memref<64xi16>
// CHECK: %[[BITS:.+]] = vector.load %{{.+}} : memref<64xi16>, vector<16xi16>
// INSTRUCTIONS: %[[X:.+]] = arith.bitcast %[[BITS]] : vector<16xi16> to vector<16xf16>
// INSTRUCTIONS: arith.extf %[[X]] : vector<16xf16> to vector<16xf32>
// INTEGERS-NOT: f16
// INTEGERS: arith.extui %[[BITS]] : vector<16xi16> to vector<16xi32>
// CHECK: arith.mulf
// INSTRUCTIONS: arith.truncf %{{.+}} : vector<16xf32> to vector<16xf16>
// CHECK: vector.store %{{.+}} : memref<64xi16>, vector<16xi16>
// CHECK: mk.return
mk.kernel @k0(%x: tensor<64xf16>) -> tensor<64xf16> {
  %e = tensor.empty() : tensor<64xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%e : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %w = arith.extf %a : f16 to f32
    %s = arith.mulf %w, %w : f32
    %r = arith.truncf %s : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64xf16>
  mk.yield %y : tensor<64xf16>
}

// CHECK-LABEL: mk.variant @k1_0
// CHECK-NOT: bf16
// CHECK: arith.shli %{{.+}} : vector<16xi32>
// CHECK: arith.shrui %{{.+}} : vector<16xi32>
// CHECK: arith.trunci %{{.+}} : vector<16xi32> to vector<16xi16>
// CHECK: mk.return
mk.kernel @k1(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %e = tensor.empty() : tensor<64xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xbf16>) outs(%e : tensor<64xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %w = arith.extf %a : bf16 to f32
    %s = arith.mulf %w, %w : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<64xbf16>
  mk.yield %y : tensor<64xbf16>
}

// Tests that one lane is stored as a scalar: LLVM 22 writes four bytes for a masked store of one truncated element.

// CHECK-LABEL: mk.variant @k2_0
// CHECK-NOT: vector.maskedstore
// CHECK: %[[LANE:.+]] = vector.extract %{{.+}}[0] : i16 from vector<16xi16>
// CHECK: memref.store %[[LANE]], %{{.+}} : memref<1xi16>
// CHECK: mk.return
mk.kernel @k2(%x: tensor<1xf32>) -> tensor<1xbf16> {
  %e = tensor.empty() : tensor<1xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<1xf32>) outs(%e : tensor<1xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1xbf16>
  mk.yield %y : tensor<1xbf16>
}

func.func @main(%x: tensor<64xf16>, %y: tensor<64xbf16>, %z: tensor<1xf32>) -> (tensor<64xf16>, tensor<64xbf16>, tensor<1xbf16>) {
  %a = mk.dispatch @k0(%x) : (tensor<64xf16>) -> tensor<64xf16>
  %b = mk.dispatch @k1(%y) : (tensor<64xbf16>) -> tensor<64xbf16>
  %c = mk.dispatch @k2(%z) : (tensor<1xf32>) -> tensor<1xbf16>
  return %a, %b, %c : tensor<64xf16>, tensor<64xbf16>, tensor<1xbf16>
}
