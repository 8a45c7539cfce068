//===- ContractPlan.h - Register tile of a contraction --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/nn/Nn.h"
#include "dialects/nn/Structured.h"
#include "target/HostMachine.h"

#include <optional>

namespace mkc::host {

/// Roles of the loops of an nn.contract, and its register tile: `pixels` points
/// of the pixel loop times `vectors` vectors along the lane loop, all
/// accumulators in registers over the whole reduction. Task tiles are multiples
/// of it.
struct ContractPlan {
  unsigned lane; ///< Vectors run along this loop.
  std::optional<unsigned>
      pixel; ///< w does not depend on it: w vectors are reused.
  int64_t pixels = 1;
  int64_t vectors = 1;
  llvm::SmallVector<unsigned> outer;   ///< The other parallel loops.
  llvm::SmallVector<unsigned> windows; ///< Reductions that share an index of x.
  llvm::SmallVector<unsigned> inner;   ///< The other reductions.
  bool pixelIsWindowed =
      false; ///< Some tile of the pixel loop touches padding.

  int64_t lanesPerVector = 0;

  int64_t lanesPerTile() const { return vectors * lanesPerVector; }
};

/// True if some parallel loop does not move through padding, so that vectors
/// can run along it.
bool hasLaneLoop(const nn::Structured &nest);

/// Needs hasLaneLoop. `strides` are the element strides of the operands x, w,
/// result, in that order. The tile's lanes divide the block of a packed w.
ContractPlan planContract(HostMachine machine, nn::ContractOp op,
                          const nn::Structured &nest,
                          llvm::ArrayRef<llvm::SmallVector<int64_t>> strides);

/// The block size if loop `d` of w is packed (`d floordiv n`, `d mod n`).
std::optional<int64_t> packedBlock(nn::ContractOp op, unsigned d);

} // namespace mkc::host
