//===- MatMul.cpp - MatMul and Gemm ---------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/NodeConversion.h"
#include "passes/conversion/OnnxToNn/ScalarMath.h"

#include <cmath>

using namespace mlir;
using namespace mkc;

/// Drops the dims of size 1 of w's batch that broadcast: nn.contract's w map
/// (C4) has no constants.
static Value dropBroadcastDims(NodeConversion &c, Value w,
                               ArrayRef<int64_t> batch,
                               SmallVectorImpl<AffineExpr> &index) {
  SmallVector<int64_t> shape;
  ArrayRef<int64_t> from = shapeOf(w);
  int64_t own = int64_t(from.size()) - 2;
  for (int64_t i = 0; i < own; ++i) {
    int64_t d = int64_t(batch.size()) - own + i;
    if (from[i] == 1 && batch[d] != 1)
      continue;
    shape.push_back(from[i]);
    index.push_back(c.dim(d));
  }
  llvm::append_range(shape, from.take_back(2));
  return c.reshape(w, shape);
}

/// numpy's matmul: batch dims broadcast, a vector on the left is a row, on the
/// right a column, and its dim isn't in the result. The loops are (batch..., m,
/// n, k) without those dims.
static LogicalResult convertMatMul(NodeConversion &c) {
  if (failed(c.expectInputs(2, 2)) || failed(c.expectSameType()))
    return failure();
  Value x = c.input(0), w = c.input(1);
  ArrayRef<int64_t> xShape = shapeOf(x), wShape = shapeOf(w);
  if (xShape.empty() || wShape.empty())
    return c.error() << "an operand is a scalar: shapes are "
                     << shapeText(xShape) << " and " << shapeText(wShape);
  bool hasM = xShape.size() > 1, hasN = wShape.size() > 1;
  int64_t k = xShape.back(), wK = hasN ? wShape[wShape.size() - 2] : wShape[0];
  auto batch = broadcastShapes(xShape.drop_back(hasM ? 2 : 1),
                               wShape.drop_back(hasN ? 2 : 1));
  if (k != wK || !batch)
    return c.error() << "shapes " << shapeText(xShape) << " and "
                     << shapeText(wShape)
                     << (k != wK ? " have inner dims that differ"
                                 : " have batch dims that do not broadcast");

  SmallVector<int64_t> extents(*batch);
  unsigned numDims = extents.size() + hasM + hasN + 1;
  SmallVector<AffineExpr> xIndex, wIndex, resultIndex;
  int64_t xOwn = int64_t(xShape.size()) - 1 - hasM;
  for (int64_t i = 0; i < xOwn; ++i) {
    int64_t d = int64_t(batch->size()) - xOwn + i;
    xIndex.push_back(xShape[i] == 1 && (*batch)[d] != 1 ? c.number(0)
                                                        : c.dim(d));
  }
  if (hasN)
    w = dropBroadcastDims(c, w, *batch, wIndex);
  for (unsigned d = 0; d + 1 < numDims; ++d)
    resultIndex.push_back(c.dim(d));
  if (hasM) {
    xIndex.push_back(c.dim(extents.size()));
    extents.push_back(xShape[xShape.size() - 2]);
  }
  AffineExpr kDim = c.dim(numDims - 1);
  xIndex.push_back(kDim);
  wIndex.push_back(kDim);
  if (hasN) {
    wIndex.push_back(c.dim(extents.size()));
    extents.push_back(wShape.back());
  }
  extents.push_back(k);
  return c.push(c.contract(x, w, extents, c.map(numDims, xIndex),
                           c.map(numDims, wIndex),
                           c.map(numDims, resultIndex)));
}

static bool isInteger(double value) {
  return std::abs(value) < 1e9 && value == std::trunc(value);
}

/// alpha * A' B' + beta * C
static LogicalResult convertGemm(NodeConversion &c) {
  if (failed(c.expectInputs(c.opset() < 11 ? 3 : 2, 3)) ||
      failed(c.expectSameType()))
    return failure();
  Value a = c.input(0), b = c.input(1), bias = c.input(2);
  if (shapeOf(a).size() != 2 || shapeOf(b).size() != 2)
    return c.error() << "shapes " << shapeText(shapeOf(a)) << " and "
                     << shapeText(shapeOf(b)) << " are not of rank 2";
  bool transA = c.intAttr("transA", 0), transB = c.intAttr("transB", 0);
  double alpha = c.floatAttr("alpha", 1), beta = c.floatAttr("beta", 1);
  if (!isFloat(a) && (!isInteger(alpha) || !isInteger(beta)))
    return c.unsupported("an alpha or beta with a fraction on integers");
  int64_t m = shapeOf(a)[transA], k = shapeOf(a)[!transA],
          bK = shapeOf(b)[transB], n = shapeOf(b)[!transB];
  if (k != bK)
    return c.error() << "inner dims " << k << " and " << bK << " of shapes "
                     << shapeText(shapeOf(a)) << " and "
                     << shapeText(shapeOf(b)) << " differ";
  AffineExpr dm = c.dim(0), dn = c.dim(1), dk = c.dim(2);
  Value y = c.contract(
      a, b, {m, n, k}, transA ? c.map(3, {dk, dm}) : c.map(3, {dm, dk}),
      transB ? c.map(3, {dn, dk}) : c.map(3, {dk, dn}), c.map(3, {dm, dn}));
  bool hasBias = bias && beta != 0;
  SmallVector<Value> operands = {y};
  if (hasBias) {
    auto joined = broadcastShapes({m, n}, shapeOf(bias));
    if (!joined || *joined != SmallVector<int64_t>{m, n})
      return c.error() << "C of shape " << shapeText(shapeOf(bias))
                       << " does not broadcast to " << shapeText({m, n});
    operands.push_back(bias);
  }
  if (!hasBias && alpha == 1)
    return c.push(y);
  return c.push(c.elementwise(
      operands, {m, n}, elementOf(a),
      [&](OpBuilder &builder, Location at, ValueRange v) {
        ScalarMath math(builder, at);
        Value sum =
            alpha == 1 ? v[0] : math.mul(math.number(alpha, v[0]), v[0]);
        if (!hasBias)
          return sum;
        return math.add(
            sum, beta == 1 ? v[1] : math.mul(math.number(beta, v[0]), v[1]));
      }));
}

void mkc::addMatMuls(std::vector<OpEntry> &table) {
  table.push_back({"", "MatMul", OpFamily::MatMul, 1, kNewestOpset, kNumbers,
                   convertMatMul});
  table.push_back(
      {"", "Gemm", OpFamily::MatMul, 6, kNewestOpset, kNumbers, convertGemm});
}
