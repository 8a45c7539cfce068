//===- SplitByTraffic.h - How many tiles each class of loops has ----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/tile/TileGrid.h"

namespace mkc::codegen {

/// Sets the tile sizes of `grid`, multiples of `granule` per class, so that
/// there are `wanted` tiles if the classes have as many granules. A class is
/// split, in half each time, where that adds the least traffic: an operand is
/// read again by every tile of a class that doesn't index it. So rows of a long
/// product share its weights, and elementwise work, which reads everything
/// once, is cut outermost.
void splitByTraffic(TileGrid &grid, llvm::ArrayRef<int64_t> granule,
                    int64_t wanted);

} // namespace mkc::codegen
