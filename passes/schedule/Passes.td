//===- Passes.td - From dispatches to launches ----------------*- tablegen -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MKC_PASSES_SCHEDULE_PASSES_TD
#define MKC_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlaceBuffersPass : Pass<"mk-place-buffers", "mlir::ModuleOp"> {
  let summary = "Give every tensor a place in memory";
  let description = [{
    Reshapes and slices become views: another offset and other strides of the same buffer.
    The parts of a concatenation are written in place, and results straight into the program's outputs,
    where the strides allow; otherwise a copy kernel is added. Values that depend on weights
    alone go to the weights, and the launches that make them are marked `compile_time`.

    Before:
    ```mlir
    %a = mk.dispatch @k0(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %c = tensor.concat dim(0) %a, %y : ...
    ```
    After:
    ```mlir
    %c = mk.buffer arena {bytes = 256 : i64, index = 0 : i64} : memref<256xi8>
    mk.launch @k0(%x, %c) {offsets = array<i64: 0, 0>, strides = [array<i64: 8, 1>, array<i64: 8, 1>], ...}
    ```
  }];
  let dependentDialects = ["mkc::mk::MkDialect", "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def VerifyLaunchesPass : Pass<"mk-verify-launches", "mlir::ModuleOp"> {
  let summary = "Check launches and their buffers";
  let description = [{
    Changes nothing. @main holds buffers and launches. Each operand stays inside its buffer, with its offset and strides;
    inputs and constants are not written, nothing is read before it is written, and what is done at
    compile time reads and writes weights only.

    ```mlir
    %a = mk.buffer arena {bytes = 16 : i64, index = 0 : i64} : memref<16xi8>
    mk.launch @k0(%x, %a) {offsets = array<i64: 0, 4>, ...}
    // error: 'mk.launch' op operand 1 covers bytes 4 to 20, but its buffer has 16
    ```
  }];
}

#endif // MKC_PASSES_SCHEDULE_PASSES_TD
