//===- Weights.h - Constants and weight-only work -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/onnx/WeightFiles.h"
#include "dialects/mk/Mk.h"
#include "runtime/format/HostAbi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <memory>
#include <span>

namespace mkc {

/// The bytes of a program's weights buffers. Constants that lie in a file are
/// used where they are mapped if they are aligned; all else is memory of this
/// object.
class WeightValues {
public:
  explicit WeightValues(onnx::WeightStore &store) : store(store) {}

  using KernelLookup =
      std::function<mkrt::format::HostKernel(llvm::StringRef variant)>;

  /// Computes every weights buffer of @main: constants, then the launches
  /// marked `compile_time`, in order, on this thread. Memory of intermediates
  /// is freed after their last use. Fails with a diagnostic.
  mlir::LogicalResult evaluate(mlir::func::FuncOp main,
                               const KernelLookup &kernels);

  /// The bytes of a buffer that a launch of a run reads.
  std::span<const std::byte> bytes(mlir::Value buffer) const;

private:
  struct Deleter {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Deleter>;

  mlir::LogicalResult loadConstant(mk::BufferOp buffer);
  mlir::LogicalResult allocate(mk::BufferOp buffer);
  mlir::LogicalResult run(mk::LaunchOp launch, const KernelLookup &kernels);
  std::byte *writable(mk::BufferOp buffer);

  onnx::WeightStore &store;
  llvm::DenseMap<mlir::Value, Memory> owned;
  llvm::DenseMap<mlir::Value, std::span<const std::byte>> contents;
};

} // namespace mkc
