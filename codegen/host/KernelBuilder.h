//===- KernelBuilder.h - Loops, indices and vectors of a tile body --------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/nn/Structured.h"
#include "target/HostMachine.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <functional>

namespace mkc::host {

///

/// An index that is a constant, or a value: arithmetic on constants folds, so
/// that loop bounds and offsets stay as static as the shapes are.
struct Index {
  int64_t constant = 0;
  mlir::Value value; ///< Null for a constant.

  Index(int64_t c = 0) : constant(c) {}
  Index(mlir::Value v) : value(v) {}
  bool isConstant() const { return !value; }
  bool is(int64_t c) const { return !value && constant == c; }
};

/// LoopRange of a loop inside one tile.
struct LoopRange {
  Index begin;
  Index size;
};

/// Memory of a tensor: a flat memref of its elements, with strides in elements.
/// Tile-local scratch holds only a part of the tensor: `origin` is its first
/// index.
struct Memory {
  mlir::Value memref;
  mlir::Type elementType; ///< The tensor's: i1 is stored as i8.
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<Index> origin; ///< Empty: all zero.
};

/// Address of an operand as a linear function of the loops of a nest.
struct LinearAccess {
  Memory memory;
  Index base;
  llvm::SmallVector<int64_t> strides; ///< Per loop, in elements.
};

/// Emits into one function. All methods insert at the builder's point.
class KernelBuilder {
public:
  KernelBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                HostMachine machine)
      : b(builder), loc(loc), machine(machine), lanes(machine.lanes()) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  HostMachine machine;
  int64_t lanes;   ///< Of every vector, whatever its element type.
  mlir::Value env; ///< `!llvm.ptr` to the worker's HostEnv.

  // Index arithmetic.
  mlir::Value materialize(Index i);
  Index add(Index a, Index c);
  Index sub(Index a, Index c);
  Index mul(Index a, int64_t factor);
  Index floorDiv(Index a, int64_t divisor);
  Index mod(Index a, int64_t divisor);
  Index min(Index a, Index c);
  Index max(Index a, Index c);

  using Body = llvm::function_ref<void(Index)>;
  using CarryBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      Index, mlir::ValueRange)>;
  /// for (i = begin; i < end; i += step); a loop of one trip is its body.
  void loop(Index begin, Index end, int64_t step, Body body);
  llvm::SmallVector<mlir::Value> loop(Index begin, Index end, int64_t step,
                                      mlir::ValueRange carried, CarryBody body);

  // Memory. `mask` is null for all lanes, else the number of active lanes.
  mlir::Value loadScalar(const Memory &memory, Index offset);
  void storeScalar(mlir::Value value, const Memory &memory, Index offset);
  /// Lanes `offset + lane * stride`; a stride of 0 broadcasts one element.
  mlir::Value loadVector(const Memory &memory, Index offset, int64_t stride,
                         mlir::Value mask);
  void storeVector(mlir::Value value, const Memory &memory, Index offset,
                   int64_t stride, mlir::Value mask);
  /// Mask with the first `active` lanes set; null if that is all lanes.
  mlir::Value laneMask(Index active);

  mlir::VectorType vectorOf(mlir::Type element);
  mlir::Value broadcast(mlir::Value scalar);
  /// begin, begin + 1, ... as a vector of `index`.
  mlir::Value lanesFrom(Index begin);

  /// The address of operand `memory` with map `map` over `rank` loops.
  LinearAccess linearize(const Memory &memory, const nn::IndexMap &map,
                         unsigned rank);
  Index offsetAt(const LinearAccess &access, llvm::ArrayRef<Index> point);
};

/// Calls `body` for begin, begin + lanes, ... of `range` with the mask of the
/// lanes that exist (null for all): full vectors in a loop, then the rest once.
void forEachVector(KernelBuilder &kb, LoopRange range,
                   llvm::function_ref<void(Index, mlir::Value mask)> body);

} // namespace mkc::host
