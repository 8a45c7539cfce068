//===- Access.h - Access programs of a tiled kernel -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/tile/TileGrid.h"
#include "runtime/format/AccessProgram.h"

namespace mkc::codegen {

struct AccessPrograms {
  mkrt::format::AccessBuilder builder;
  std::vector<mkrt::format::AccessEntry> entries; ///< Sorted by operand.
};

/// What each tile of `kernel` reads and writes of its operands (inputs, then
/// results), as boxes of bytes from the operand's first element. Follows from
/// the index maps alone: an index range per tensor dim, cut to the tensor.
AccessPrograms buildAccesses(mk::KernelOp kernel, const TileGrid &grid,
                             const OperandStrides &strides);

/// Stores them in the attributes of `variant` (their layout: mk.variant).
void setAccesses(mk::VariantOp variant, const AccessPrograms &programs);

/// Bytes of an element in memory; bool takes one.
int64_t elementBytes(mlir::Type type);

} // namespace mkc::codegen
