//===- Layout.cpp - Values that are other values' transposes --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Layout.h"
#include "passes/graph/Build/NnBuilder.h"
#include "passes/graph/Build/Reshape.h"

using namespace mlir;
using namespace mkc;

Layout Layout::identity(Value value) {
  return {value, llvm::to_vector(
                     llvm::seq<int64_t>(0, tensorTypeOf(value).getRank()))};
}

Layout Layout::transposed(ArrayRef<int64_t> by) const {
  return {source, llvm::map_to_vector(by, [&](int64_t d) { return perm[d]; })};
}

SmallVector<int64_t> Layout::inverse() const {
  return toSource<int64_t>(llvm::to_vector(llvm::seq<int64_t>(0, perm.size())));
}

SmallVector<int64_t> Layout::withoutDim(int64_t d) const {
  SmallVector<int64_t> left;
  for (int64_t i = 0; i < int64_t(perm.size()); ++i)
    if (i != d)
      left.push_back(perm[i] - (perm[i] > perm[d]));
  return left;
}

bool Layout::movesData() const {
  SmallVector<int64_t> moved;
  for (int64_t d : perm)
    if (shapeOf(source)[d] != 1)
      moved.push_back(d);
  return !llvm::is_sorted(moved);
}

namespace {
/// Dims that a reshape joins or splits together, with their places in the
/// source.
struct Group {
  SmallVector<int64_t>
      source;                 // of the dims that aren't 1, in the value's order
  SmallVector<int64_t> units; // of the dims that are 1
  ReassociationIndices result; // dims of the result
  int64_t first() const {
    return source.empty() ? (units.empty() ? 0 : units.front())
                          : *llvm::min_element(source);
  }
};
} // namespace

/// True if no dim but those of size 1 lies between the group's dims.
static bool isSideBySide(const Group &group, ArrayRef<int64_t> sourceShape) {
  if (group.source.empty())
    return true;
  for (int64_t d = *llvm::min_element(group.source);
       d < *llvm::max_element(group.source); ++d)
    if (sourceShape[d] != 1 && !llvm::is_contained(group.source, d))
      return false;
  return true;
}

std::optional<ReshapedLayout> mkc::reshapeLayout(const Layout &layout,
                                                 ArrayRef<int64_t> fromShape,
                                                 ArrayRef<int64_t> toShape) {
  ReshapeGroups reshape(fromShape, toShape);
  ArrayRef<int64_t> sourceShape = shapeOf(layout.source);
  SmallVector<Group> groups;
  for (auto [from, to] : llvm::zip_equal(reshape.from, reshape.to)) {
    Group group;
    for (int64_t d : from)
      (fromShape[d] == 1 ? group.units : group.source)
          .push_back(layout.perm[d]);
    group.result = to;
    if (!isSideBySide(group, sourceShape))
      return std::nullopt;
    groups.push_back(std::move(group));
  }
  llvm::sort(groups, [](const Group &a, const Group &b) {
    return a.first() < b.first();
  });
  ReshapedLayout reshaped;
  reshaped.perm.resize(toShape.size());
  for (const Group &group : groups) {
    llvm::append_range(reshaped.before, group.source);
    llvm::append_range(reshaped.before, group.units);
    for (int64_t d : group.result) {
      reshaped.perm[d] = reshaped.shape.size();
      reshaped.shape.push_back(toShape[d]);
    }
  }
  return reshaped;
}
