//===- Domain.h - Iteration spaces and offsets in them --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mkc {

/// The offset of a tensor's element as a function of the iteration point: a sum
/// of one table per dim, which holds for every map whose results are sums of
/// functions of one dim.
class OffsetTable {
public:
  /// Row-major offsets in a tensor of `shape` under `map` over a domain of
  /// `extents`.
  OffsetTable(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents,
              llvm::ArrayRef<int64_t> shape);

  int64_t base() const { return constant; }
  /// What dim `d` adds to the offset at `value`.
  int64_t at(unsigned d, int64_t value) const { return tables[d][value]; }
  /// True if dim `d` adds `value * stride(d)`.
  bool isLinear(unsigned d) const;
  int64_t stride(unsigned d) const {
    return tables[d].size() > 1 ? tables[d][1] : 0;
  }
  int64_t offset(llvm::ArrayRef<int64_t> point) const;

private:
  int64_t constant = 0;
  llvm::SmallVector<std::vector<int64_t>> tables;
};

/// Calls `fn` for every point of a box, the last dim fastest; dims not in
/// `dims` stay 0.
void forEachPoint(llvm::ArrayRef<int64_t> extents,
                  llvm::ArrayRef<unsigned> dims,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> fn);

} // namespace mkc
