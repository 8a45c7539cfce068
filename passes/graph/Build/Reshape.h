//===- Reshape.h - Reshapes as one collapse and one expand ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mkc {

/// How a shape becomes another with as many elements, none of them of size 0:
/// group i of `from`, the dims of the old shape, has as many elements as group
/// i of `to`, and groups are as small as can be.
struct ReshapeGroups {
  ReshapeGroups(llvm::ArrayRef<int64_t> fromShape,
                llvm::ArrayRef<int64_t> toShape);

  llvm::SmallVector<mlir::ReassociationIndices> from, to;
  bool needsCollapse() const;
  /// The shape between the collapse and the expand.
  llvm::SmallVector<int64_t> collapsedShape() const;

private:
  llvm::SmallVector<int64_t> sizes;
  size_t fromRank;
};

/// Follows reshapes up from `value` to their first source; stops early at a
/// value of `type`.
mlir::Value sourceOfReshapes(mlir::Value value, mlir::RankedTensorType type);

/// Replaces `value`, read at `map`, by the source of the reshapes above it that
/// only add or drop dims of size 1, and `map` by the map that reads the same
/// elements there.
void readThroughUnitReshapes(mlir::Value &value, mlir::AffineMap &map);

} // namespace mkc
