//===- Tiling.h - How a kernel is cut into tiles for the host -------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/host/ContractPlan.h"
#include "codegen/tile/TileGrid.h"
#include "target/HostMachine.h"

namespace mkc::host {

/// A grid of tiles with what code for the host adds to it.
struct Tiling : codegen::TileGrid {
  /// Per class: size of the steps inside one task in which all ops run one
  /// after the other (their intermediates then fit a cache).
  llvm::SmallVector<int64_t> step;
  /// Per op: how an nn.contract runs; steps are multiples of its register tile.
  std::vector<std::optional<ContractPlan>> plans;
  /// The second of two ops runs in the registers of the first, an nn.contract.
  bool inRegisters = false;
  int64_t flops = 0; ///< Of the whole kernel, roughly.

  /// The choices in words, for remarks.
  std::string describe() const;
};

/// Chooses tiles. Fails with a diagnostic on an op that is not structured.
mlir::FailureOr<Tiling> chooseTiling(HostMachine machine, mk::KernelOp kernel,
                                     const codegen::OperandStrides &strides);

} // namespace mkc::host
