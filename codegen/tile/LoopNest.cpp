//===- LoopNest.cpp - The loops that are emitted for a generic ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/LoopNest.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::codegen;

int64_t mkc::codegen::upperBound(const TiledOp &op, unsigned d) {
  return op.ranges[d].size.isConstant() ? op.ranges[d].size.constant
                                        : op.nest.extents[d];
}

static void eraseLoop(LoopNest &nest, unsigned i) {
  nest.loops.erase(nest.loops.begin() + i);
  for (auto *list : {&nest.inputs, &nest.results})
    for (LinearAccess &access : *list)
      access.strides.erase(access.strides.begin() + i);
}

/// Removes loop i of one trip; its index becomes part of the base.
static void dropUnitLoop(LoopBuilder &lb, LoopNest &nest, unsigned i) {
  for (auto *list : {&nest.inputs, &nest.results})
    for (LinearAccess &access : *list)
      access.base = lb.add(
          access.base, lb.mul(nest.loops[i].range.begin, access.strides[i]));
  eraseLoop(nest, i);
}

/// Loop i+1 is whole and static, and all operands step over it evenly.
static bool canMerge(const LoopNest &nest, const TiledOp &op, unsigned i) {
  const Loop &outer = nest.loops[i], &inner = nest.loops[i + 1];
  if (outer.parallel != inner.parallel || !inner.range.begin.is(0) ||
      !inner.range.size.isConstant())
    return false;
  for (const auto *list : {&nest.inputs, &nest.results})
    for (const LinearAccess &access : *list)
      if (access.strides[i] != access.strides[i + 1] * inner.size)
        return false;
  return true;
}

static void mergeLoops(LoopBuilder &lb, LoopNest &nest, unsigned i) {
  int64_t inner = nest.loops[i + 1].size;
  LoopRange range{lb.mul(nest.loops[i].range.begin, inner),
                  lb.mul(nest.loops[i].range.size, inner)};
  Loop merged{range, nest.loops[i].size * inner, nest.loops[i].parallel,
              nest.loops[i + 1].original};
  for (auto *list : {&nest.inputs, &nest.results})
    for (LinearAccess &access : *list)
      access.strides[i] = access.strides[i + 1];
  eraseLoop(nest, i + 1);
  nest.loops[i] = merged;
}

static bool usesLoopIndices(Operation *op) {
  return op->getNumRegions() &&
         !op->getRegion(0).getOps<linalg::IndexOp>().empty();
}

LoopNest mkc::codegen::buildNest(LoopBuilder &lb, const TiledOp &op) {
  LoopNest nest;
  unsigned rank = op.nest.rank();
  for (unsigned d = 0; d < rank; ++d)
    nest.loops.push_back(
        {op.ranges[d], upperBound(op, d), bool(op.nest.parallel[d]), d});
  for (auto [memory, map] : llvm::zip(op.inputs, op.nest.inputMaps))
    nest.inputs.push_back(lb.linearize(memory, map, rank));
  for (auto [memory, map] : llvm::zip(op.results, op.nest.resultMaps))
    nest.results.push_back(lb.linearize(memory, map, rank));
  if (!usesLoopIndices(op.nest.op)) {
    for (unsigned i = rank; i-- > 0;)
      if (nest.loops[i].range.size.is(1) && nest.loops[i].parallel)
        dropUnitLoop(lb, nest, i);
    for (unsigned i = nest.loops.size(); i-- > 1;)
      if (i < nest.loops.size() && canMerge(nest, op, i - 1))
        mergeLoops(lb, nest, i - 1);
  }
  if (nest.loops.empty()) { // a scalar is a loop of one trip
    nest.loops.push_back({{0, 1}, 1, true, 0});
    for (LinearAccess &access : nest.inputs)
      access.strides.push_back(0);
    for (LinearAccess &access : nest.results)
      access.strides.push_back(1);
  }
  return nest;
}
