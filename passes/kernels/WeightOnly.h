//===- WeightOnly.h - Values that depend on weights alone -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mkc {

/// The values of a level-2 or level-3 function that no input reaches: they are
/// computed once, at compile time.
class WeightOnly {
public:
  explicit WeightOnly(mlir::func::FuncOp function);
  bool contains(mlir::Value value) const { return values.contains(value); }

private:
  llvm::DenseSet<mlir::Value> values;
};

} // namespace mkc
