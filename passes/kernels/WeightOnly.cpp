//===- WeightOnly.cpp - Values that depend on weights alone ---------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/WeightOnly.h"

using namespace mlir;

mkc::WeightOnly::WeightOnly(func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    if (llvm::all_of(op.getOperands(),
                     [&](Value operand) { return contains(operand); }))
      values.insert(op.result_begin(), op.result_end());
}
