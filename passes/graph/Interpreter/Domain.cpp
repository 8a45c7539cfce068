//===- Domain.cpp - Iteration spaces and offsets in them ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Interpreter/Domain.h"
#include "passes/graph/Interpreter/TensorValue.h"

using namespace mlir;
using namespace mkc;

/// The value of `expr` where all dims are 0 but `d`.
static int64_t evaluateAt(AffineExpr expr, unsigned d, int64_t value) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == d ? value : 0;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluateAt(binary.getLHS(), d, value);
  int64_t rhs = evaluateAt(binary.getRHS(), d, value);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::Mod:
    return rhs ? llvm::mod(lhs, rhs) : 0;
  case AffineExprKind::FloorDiv:
    return rhs ? llvm::divideFloorSigned(lhs, rhs) : 0;
  default:
    return rhs ? llvm::divideCeilSigned(lhs, rhs) : 0;
  }
}

OffsetTable::OffsetTable(AffineMap map, ArrayRef<int64_t> extents,
                         ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  SmallVector<int64_t> origin;
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    origin.push_back(evaluateAt(expr, 0, 0));
    constant += origin.back() * stride;
  }
  for (auto [d, extent] : llvm::enumerate(extents)) {
    std::vector<int64_t> &table = tables.emplace_back(extent, 0);
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      if (!map.getResult(i).isFunctionOfDim(d))
        continue;
      for (int64_t v = 0; v < extent; ++v)
        table[v] +=
            (evaluateAt(map.getResult(i), d, v) - origin[i]) * strides[i];
    }
  }
}

bool OffsetTable::isLinear(unsigned d) const {
  for (auto [value, offset] : llvm::enumerate(tables[d]))
    if (offset != int64_t(value) * stride(d))
      return false;
  return true;
}

int64_t OffsetTable::offset(ArrayRef<int64_t> point) const {
  int64_t sum = constant;
  for (auto [d, value] : llvm::enumerate(point))
    sum += tables[d][value];
  return sum;
}

void mkc::forEachPoint(ArrayRef<int64_t> extents, ArrayRef<unsigned> dims,
                       function_ref<void(ArrayRef<int64_t>)> fn) {
  for (unsigned d : dims)
    if (extents[d] == 0)
      return;
  SmallVector<int64_t> point(extents.size(), 0);
  while (true) {
    fn(point);
    size_t i = dims.size();
    while (i > 0 && ++point[dims[i - 1]] == extents[dims[i - 1]])
      point[dims[--i]] = 0;
    if (i == 0)
      return;
  }
}
