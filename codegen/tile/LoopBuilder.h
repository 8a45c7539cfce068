//===- LoopBuilder.h - Loops and indices of a tile body -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/nn/Structured.h"

#include "mlir/IR/Builders.h"

namespace mkc::codegen {

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

/// Range of a loop inside one tile.
struct LoopRange {
  Index begin;
  Index size;
};

/// Memory of a tensor: a flat memref of its elements, with strides in elements.
/// Tile-local scratch holds only a part of the tensor: `origin` is its first
/// index.
struct Memory {
  mlir::Value memref;
  mlir::Type elementType; ///< The tensor's, see storageType.
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<Index> origin; ///< Empty: all zero.
};

/// Address of an operand as a linear function of the loops of a nest.
struct LinearAccess {
  Memory memory;
  Index base;
  llvm::SmallVector<int64_t> strides; ///< Per loop, in elements.
};

/// Emits into one function, for any target. All methods insert at the
/// builder's point.
class LoopBuilder {
public:
  LoopBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  mlir::OpBuilder &b;
  mlir::Location loc;

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

  // Memory. Bool is i1 in values and i8 in memory, where any bit set is true.
  // f16 and bf16 are bits in values too, until a target extends them.
  mlir::Value loadScalar(const Memory &memory, Index offset);
  void storeScalar(mlir::Value value, const Memory &memory, Index offset);

  /// The address of operand `memory` with map `map` over `rank` loops.
  LinearAccess linearize(const Memory &memory, const nn::IndexMap &map,
                         unsigned rank);
  Index offsetAt(const LinearAccess &access, llvm::ArrayRef<Index> point);

protected:
  /// Between the type of a value (or of vectors of it) and its type in memory.
  mlir::Value fromStorage(mlir::Value value, mlir::Type element);
  mlir::Value toStorage(mlir::Value value, mlir::Type element);
};

/// What an element type is stored as: i1 as i8, f16 and bf16 as their bits in
/// i16, others as they are.
mlir::Type storageType(mlir::Type element);

/// Calls `body` with every point of `ranges` for the loops listed in `loops`,
/// as nested loops; other entries of `point` are left alone.
void forEachPoint(LoopBuilder &lb, llvm::ArrayRef<LoopRange> ranges,
                  llvm::ArrayRef<unsigned> loops,
                  llvm::SmallVectorImpl<Index> &point,
                  llvm::function_ref<void()> body);

/// The values of a reduction loop for which the window stays inside x: the
/// loop's range cut by every index of `map` (into `shape`) that the loop occurs
/// in. `point` must hold the parallel loops.
LoopRange clipWindow(LoopBuilder &lb, const nn::IndexMap &map,
                     llvm::ArrayRef<int64_t> shape, unsigned loop,
                     LoopRange range, llvm::ArrayRef<Index> point);

} // namespace mkc::codegen
