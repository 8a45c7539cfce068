//===- ThreadBuilder.h - Work of a tile's threads -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/tile/LoopBuilder.h"
#include "runtime/format/DeviceAbi.h"

#include <functional>

namespace mkc::cuda {

using codegen::Index;
using codegen::LinearAccess;
using codegen::LoopRange;
using codegen::Memory;

/// Threads that run a tile together.
inline constexpr int64_t kTileThreads = 32 * mkrt::format::kConsumerWarps;

/// Adds the threads of a block to loops and indices. Every thread runs what is
/// emitted, so code between two syncs is uniform: all threads reach each sync.
class ThreadBuilder : public codegen::LoopBuilder {
public:
  /// `shared` is the body's mk.shared; `thread` its mk.thread_id.
  ThreadBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : LoopBuilder(builder, loc) {}

  mlir::Value thread; ///< index
  mlir::Value shared; ///< memref<Nxi8, 3>
  mlir::Value env;    ///< The record's slot.

  void sync();
  mlir::Value lessThan(Index a, Index c);
  /// a / divisor for an a that is not negative.
  Index quotient(Index a, int64_t divisor);
  mlir::Value both(mlir::Value a, mlir::Value c);
  /// Null stands for true: then the body is emitted as it is.
  void ifTrue(mlir::Value condition, llvm::function_ref<void()> body);
  /// Values of `body` where the condition holds, else `otherwise`.
  llvm::SmallVector<mlir::Value>
  ifElse(mlir::Value condition, mlir::ValueRange otherwise,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> body);

  /// An element in its own type: f16 and bf16 are made of their bits.
  mlir::Value load(const Memory &memory, Index offset);
  void store(mlir::Value value, const Memory &memory, Index offset);
  /// An element as arithmetic takes it: f16 and bf16 extended to f32.
  mlir::Value loadNumber(const Memory &memory, Index offset);

  /// A typed view of part of the shared memory, in bytes from its begin.
  Memory sharedMemory(mlir::Type element, int64_t offset, int64_t count);

  /// Sets `point[loops[i]]` from the linear number `n` of a point in `ranges`,
  /// the last loop fastest, and returns whether the point exists (null for
  /// always): `sizes` are upper bounds where a range has no static size.
  mlir::Value delinearize(Index n, llvm::ArrayRef<LoopRange> ranges,
                          llvm::ArrayRef<int64_t> sizes,
                          llvm::ArrayRef<unsigned> loops,
                          llvm::SmallVectorImpl<Index> &point);

  /// Shares the points of `loops` out among the threads, the last loop fastest:
  /// neighbouring threads have neighbouring points.
  void forEachThreadPoint(llvm::ArrayRef<LoopRange> ranges,
                          llvm::ArrayRef<int64_t> sizes,
                          llvm::ArrayRef<unsigned> loops,
                          llvm::SmallVectorImpl<Index> &point,
                          llvm::function_ref<void()> body);
};

/// Product of the sizes of `loops`.
int64_t countPoints(llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<unsigned> loops);

/// `loops` with the one last that neighbouring threads should walk, so that
/// they access neighbouring elements: the least strided one of `accesses`.
llvm::SmallVector<unsigned>
orderForThreads(llvm::ArrayRef<unsigned> loops,
                llvm::ArrayRef<LinearAccess> accesses,
                llvm::ArrayRef<int64_t> sizes);

} // namespace mkc::cuda
