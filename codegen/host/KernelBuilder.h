//===- KernelBuilder.h - Vectors of a tile body ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/tile/LoopBuilder.h"
#include "target/HostMachine.h"

#include "mlir/IR/BuiltinTypes.h"

#include <functional>

namespace mkc::host {

using codegen::Index;
using codegen::LinearAccess;
using codegen::LoopRange;
using codegen::Memory;

/// Adds vectors along one loop to loops and indices.
class KernelBuilder : public codegen::LoopBuilder {
public:
  KernelBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                HostMachine machine)
      : LoopBuilder(builder, loc), machine(machine), lanes(machine.lanes()) {}

  HostMachine machine;
  int64_t lanes;   ///< Of every vector, whatever its element type.
  mlir::Value env; ///< `!llvm.ptr` to the worker's HostEnv.

  /// The operands of arithmetic: loaded and extended.
  mlir::Value loadExtended(const Memory &memory, Index offset, int64_t stride,
                           mlir::Value mask) {
    // A scalar of bf16 is shifted without vectors.
    if (stride == 0 && memory.elementType.isBF16())
      return broadcast(loadExtended(memory, offset));
    return extend(loadVector(memory, offset, stride, mask), memory.elementType);
  }
  mlir::Value loadExtended(const Memory &memory, Index offset) {
    return extend(loadScalar(memory, offset), memory.elementType);
  }
  // `mask` is null for all lanes, else the mask of the active ones.
  /// Lanes `offset + lane * stride`; a stride of 0 broadcasts one element.
  mlir::Value loadVector(const Memory &memory, Index offset, int64_t stride,
                         mlir::Value mask);
  void storeVector(mlir::Value value, const Memory &memory, Index offset,
                   int64_t stride, mlir::Value mask);
  /// Mask with the first `active` lanes set; null if that is all lanes.
  mlir::Value laneMask(Index active);

  /// A vector of all lanes; of bits for f16 and bf16.
  mlir::VectorType vectorOf(mlir::Type element);
  mlir::Value broadcast(mlir::Value scalar);
  /// A vector that repeats a constant.
  mlir::Value splat(mlir::TypedAttr value);
  /// Bits of f16 or bf16 (`element`), scalars or vectors, as f32; values of
  /// other types as they are.
  mlir::Value extend(mlir::Value value, mlir::Type element);
  /// f32 rounded to the bits of f16 or bf16 (`element`).
  mlir::Value round(mlir::Value value, mlir::Type element);
  /// begin, begin + 1, ... as a vector of `index`.
  mlir::Value lanesFrom(Index begin);
};

/// Calls `body` for begin, begin + lanes, ... of `range` with the mask of the
/// lanes that exist (null for all): full vectors in a loop, then the rest once.
void forEachVector(KernelBuilder &kb, LoopRange range,
                   llvm::function_ref<void(Index, mlir::Value mask)> body);

} // namespace mkc::host
