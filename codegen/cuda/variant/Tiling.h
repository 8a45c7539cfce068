//===- Tiling.h - How a kernel is cut into tiles for a GPU ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/tile/TileGrid.h"
#include "target/CudaChip.h"

namespace mkc::cuda {

struct Tiling : codegen::TileGrid {
  int64_t flops = 0; ///< Of the whole kernel, roughly.
  /// The choices in words, for remarks.
  std::string describe() const;
};

/// Chooses tiles: a few tasks per SM if the work is worth it, cut where it adds
/// the least traffic. Fails with a diagnostic on an op that is not structured.
mlir::FailureOr<Tiling> chooseTiling(const CudaChip &chip, mk::KernelOp kernel);

} // namespace mkc::cuda
