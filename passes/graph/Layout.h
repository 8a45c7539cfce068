//===- Layout.h - Values that are other values' transposes ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mkc {

/// Says that a value is the transpose of `source`: its dim i is dim perm[i] of
/// the source.
struct Layout {
  mlir::Value source;
  llvm::SmallVector<int64_t> perm;

  static Layout identity(mlir::Value value);
  /// The layout of this value's transpose.
  Layout transposed(llvm::ArrayRef<int64_t> perm) const;
  llvm::SmallVector<int64_t> inverse() const;
  /// The permutation that is left without dim `d` of the value.
  llvm::SmallVector<int64_t> withoutDim(int64_t d) const;
  /// False if only dims of size 1 change their places.
  bool movesData() const;
  /// What belongs to the value's dims, in the order of the source's.
  template <typename T>
  llvm::SmallVector<T> toSource(llvm::ArrayRef<T> ofValue) const {
    llvm::SmallVector<T> ofSource(ofValue.begin(), ofValue.end());
    for (size_t i = 0; i < perm.size(); ++i)
      ofSource[perm[i]] = ofValue[i];
    return ofSource;
  }
};

/// A reshape of a transpose as a transpose of a reshape: the value is `perm` of
/// the source after a transpose by `before`, which is mostly the identity, and
/// a reshape to `shape`.
struct ReshapedLayout {
  llvm::SmallVector<int64_t> before, shape, perm;
};

/// Nothing, if dims that the reshape joins lie apart in the source. If they lie
/// side by side, but in another order (a channel shuffle), `before` brings them
/// into order.
std::optional<ReshapedLayout> reshapeLayout(const Layout &layout,
                                            llvm::ArrayRef<int64_t> fromShape,
                                            llvm::ArrayRef<int64_t> toShape);

} // namespace mkc
