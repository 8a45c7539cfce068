//===- Reshape.cpp - Reshapes as one collapse and one expand --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Build/Reshape.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mkc;

ReshapeGroups::ReshapeGroups(ArrayRef<int64_t> fromShape,
                             ArrayRef<int64_t> toShape)
    : fromRank(fromShape.size()) {
  // With rank 0 on a side there are no groups, and all dims of the other side
  // are 1.
  if (fromShape.empty() || toShape.empty())
    return;
  size_t i = 0, j = 0;
  while (i < fromShape.size() && j < toShape.size()) {
    ReassociationIndices fromGroup = {int64_t(i)}, toGroup = {int64_t(j)};
    int64_t fromSize = fromShape[i++], toSize = toShape[j++];
    while (fromSize != toSize) {
      if (fromSize < toSize) {
        fromGroup.push_back(i);
        fromSize *= fromShape[i++];
      } else {
        toGroup.push_back(j);
        toSize *= toShape[j++];
      }
    }
    // Dims of size 1 on one side only belong to the group before them.
    auto isUnit = [](ArrayRef<int64_t> shape, size_t d) {
      return d < shape.size() && shape[d] == 1;
    };
    while (isUnit(fromShape, i) && !isUnit(toShape, j))
      fromGroup.push_back(i++);
    while (isUnit(toShape, j) && !isUnit(fromShape, i))
      toGroup.push_back(j++);
    sizes.push_back(fromSize);
    from.push_back(fromGroup);
    to.push_back(toGroup);
  }
  for (; i < fromShape.size(); ++i)
    from.back().push_back(i);
  for (; j < toShape.size(); ++j)
    to.back().push_back(j);
}

bool ReshapeGroups::needsCollapse() const { return from.size() != fromRank; }

SmallVector<int64_t> ReshapeGroups::collapsedShape() const { return sizes; }

/// The source of a reshape, or null.
static Value reshapeSource(Value value) {
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    return expand.getSrc();
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    return collapse.getSrc();
  return {};
}

Value mkc::sourceOfReshapes(Value value, RankedTensorType type) {
  while (value.getType() != type) {
    Value source = reshapeSource(value);
    if (!source)
      return value;
    value = source;
  }
  return value;
}

/// The dim of a group that isn't 1 (the first, if all are 1), or nothing if
/// several aren't.
static std::optional<int64_t> singleDim(ArrayRef<int64_t> group,
                                        ArrayRef<int64_t> shape) {
  std::optional<int64_t> found;
  for (int64_t d : group) {
    if (shape[d] == 1)
      continue;
    if (found)
      return std::nullopt;
    found = d;
  }
  return found ? found : group.front();
}

/// The index of each dim of the source of an expand or collapse, given those of
/// its result.
static std::optional<SmallVector<AffineExpr>>
sourceIndex(Value value, ArrayRef<AffineExpr> index, MLIRContext *context) {
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> results;
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>()) {
    for (auto [i, group] : llvm::enumerate(expand.getReassociationIndices())) {
      std::optional<int64_t> d =
          singleDim(group, expand.getResultType().getShape());
      if (!d)
        return std::nullopt;
      bool isUnit = expand.getSrcType().getDimSize(i) == 1;
      results.push_back(isUnit ? zero : index[*d]);
    }
    return results;
  }
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return std::nullopt;
  results.assign(collapse.getSrcType().getRank(), zero);
  for (auto [i, group] : llvm::enumerate(collapse.getReassociationIndices())) {
    std::optional<int64_t> d =
        singleDim(group, collapse.getSrcType().getShape());
    if (!d)
      return std::nullopt;
    if (collapse.getSrcType().getDimSize(*d) != 1)
      results[*d] = index[i];
  }
  return results;
}

void mkc::readThroughUnitReshapes(Value &value, AffineMap &map) {
  MLIRContext *context = map.getContext();
  while (auto index = sourceIndex(value, map.getResults(), context)) {
    map = AffineMap::get(map.getNumDims(), 0, *index, context);
    value = reshapeSource(value);
  }
}
