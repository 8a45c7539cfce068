//===- ScalarProgram.h - The body of a linalg.generic as vector code ------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Block.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <string>
#include <vector>

namespace mkc {

/// A generic's body compiled to steps that each work on up to `kChunk`
/// iteration points at a time, so that the cost of interpretation is paid per
/// chunk and not per element. Arithmetic follows C: floats are IEEE, integers
/// wrap, and integer division by zero gives zero.
class ScalarProgram {
public:
  static constexpr int64_t kChunk = 256;

  /// Fails with the name of an op that level 2 doesn't have.
  static llvm::FailureOr<ScalarProgram> compile(mlir::Block &body,
                                                std::string &error);

  /// Where the elements of block argument `i` are to be stored before `run`.
  char *argument(unsigned i) { return slots[i].data(); }
  /// The elements that the terminator yields as its operand `i`.
  const char *result(unsigned i) const { return slots[results[i]].data(); }

  /// Runs the steps on `n` points. `index(dim, to)` stores linalg.index values.
  void run(int64_t n, llvm::function_ref<void(int64_t dim, int64_t *to)> index);

private:
  using Kernel = std::function<void(char *, const char *const *, int64_t)>;
  struct Step {
    Kernel kernel; // null for linalg.index
    int64_t indexDim = 0;
    unsigned result;
    llvm::SmallVector<unsigned, 3> operands;
  };
  static Kernel kernelFor(mlir::Operation &op);
  friend struct KernelTable;

  std::vector<std::vector<char>> slots;
  std::vector<Step> steps;
  llvm::SmallVector<unsigned> results;
};

} // namespace mkc
