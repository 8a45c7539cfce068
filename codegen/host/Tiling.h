//===- Tiling.h - How a kernel is cut into tiles for the host -------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/host/ContractPlan.h"
#include "dialects/mk/Mk.h"
#include "dialects/nn/LoopClasses.h"
#include "target/HostMachine.h"

#include <vector>

namespace mkc::host {

/// Strides in elements of each operand of a kernel: inputs, then results.
using OperandStrides = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// A kernel's ops and the tiles that they run by.
struct Tiling {
  std::vector<nn::Structured> ops;
  nn::LoopClasses classes;
  /// Per class: size of a task's tile, and of the steps inside one task in
  /// which all ops run one after the other (their intermediates then fit a
  /// cache).
  llvm::SmallVector<int64_t> tile, step;
  /// Per op: how an nn.contract runs; steps are multiples of its register tile.
  std::vector<std::optional<ContractPlan>> plans;
  /// The second of two ops runs in the registers of the first, an nn.contract.
  bool inRegisters = false;
  int64_t flops = 0; ///< Of the whole kernel, roughly.

  int64_t tileCount() const;
  int64_t tilesOf(unsigned c) const;
  /// The choices in words, for remarks.
  std::string describe() const;
};

/// Chooses tiles. Fails with a diagnostic on an op that is not structured.
mlir::FailureOr<Tiling> chooseTiling(HostMachine machine, mk::KernelOp kernel,
                                     const OperandStrides &strides);

} // namespace mkc::host
