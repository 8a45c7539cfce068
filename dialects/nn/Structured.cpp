//===- Structured.cpp - Any level-2 op as a loop nest ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Structured.h"
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::nn;

int64_t Structured::points() const {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

bool Structured::hasReduction() const {
  return llvm::is_contained(parallel, false);
}

static IndexMap fromAffine(AffineMap map) {
  return {llvm::to_vector(map.getResults())};
}

static IndexMap identity(unsigned rank, MLIRContext *context) {
  return fromAffine(AffineMap::getMultiDimIdentityMap(rank, context));
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Structured fromGeneric(linalg::GenericOp op) {
  Structured s;
  s.op = op;
  s.extents = op.getStaticLoopRanges();
  for (utils::IteratorType type : op.getIteratorTypesArray())
    s.parallel.push_back(type == utils::IteratorType::parallel);
  for (OpOperand *input : op.getDpsInputOperands()) {
    s.inputs.push_back(input->get());
    s.inputMaps.push_back(fromAffine(op.getMatchingIndexingMap(input)));
  }
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    s.results.push_back(result);
    s.resultMaps.push_back(
        fromAffine(op.getMatchingIndexingMap(op.getDpsInitOperand(i))));
  }
  return s;
}

static Structured fromFill(linalg::FillOp op) {
  Structured s;
  s.op = op;
  s.extents = llvm::to_vector(shapeOf(op.getResult(0)));
  s.parallel.assign(s.extents.size(), true);
  s.results = {op.getResult(0)};
  s.resultMaps = {identity(s.rank(), op.getContext())};
  return s;
}

template <typename OpTy> static Structured fromDomain(OpTy op) {
  Structured s;
  s.op = op;
  s.extents = llvm::to_vector(op.getExtents());
  for (unsigned d = 0; d < s.rank(); ++d)
    s.parallel.push_back(op.isParallel(d));
  for (auto [input, map] : llvm::zip(op->getOperands(), op.getMaps())) {
    s.inputs.push_back(input);
    s.inputMaps.push_back(fromAffine(cast<AffineMapAttr>(map).getValue()));
  }
  for (Value result : op->getResults()) {
    s.results.push_back(result);
    s.resultMaps.push_back(fromAffine(op.getResultMap()));
  }
  return s;
}

/// Loops over the result; the gathered dim of the data is indexed by data.
static Structured fromGather(GatherOp op) {
  Structured s;
  s.op = op;
  s.extents = llvm::to_vector(shapeOf(op.getResult()));
  s.parallel.assign(s.rank(), true);
  MLIRContext *context = op.getContext();
  unsigned axis = op.getAxis();
  unsigned indexRank = shapeOf(op.getIndices()).size();
  IndexMap data, indices;
  for (unsigned d = 0; d < s.rank(); ++d) {
    bool isIndexDim = d >= axis && d < axis + indexRank;
    (isIndexDim ? indices : data).exprs.push_back(getAffineDimExpr(d, context));
  }
  data.exprs.insert(data.exprs.begin() + axis, AffineExpr());
  s.inputs = {op.getData(), op.getIndices()};
  s.inputMaps = {data, indices};
  s.results = {op.getResult()};
  s.resultMaps = {identity(s.rank(), context)};
  return s;
}

static Structured fromArgReduce(ArgReduceOp op) {
  Structured s;
  s.op = op;
  s.extents = llvm::to_vector(shapeOf(op.getX()));
  s.parallel.assign(s.rank(), true);
  s.parallel[op.getAxis()] = false;
  s.inputs = {op.getX()};
  s.inputMaps = {identity(s.rank(), op.getContext())};
  s.results = {op.getResult()};
  s.resultMaps = {s.inputMaps.front()};
  s.resultMaps.front().exprs.erase(s.resultMaps.front().exprs.begin() +
                                   op.getAxis());
  return s;
}

std::optional<Structured> mkc::nn::getStructured(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Structured>>(op)
      .Case([](linalg::GenericOp op) { return fromGeneric(op); })
      .Case([](linalg::FillOp op) { return fromFill(op); })
      .Case([](ContractOp op) { return fromDomain(op); })
      .Case([](PoolOp op) { return fromDomain(op); })
      .Case([](ArgPoolOp op) { return fromDomain(op); })
      .Case([](GatherOp op) { return fromGather(op); })
      .Case([](ArgReduceOp op) { return fromArgReduce(op); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<unsigned> mkc::nn::asDim(AffineExpr expr) {
  if (auto dim = dyn_cast_or_null<AffineDimExpr>(expr))
    return dim.getPosition();
  return std::nullopt;
}

int64_t mkc::nn::coefficientOf(AffineExpr expr, unsigned d) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == d;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 0;
  if (expr.getKind() == AffineExprKind::Add)
    return coefficientOf(binary.getLHS(), d) +
           coefficientOf(binary.getRHS(), d);
  if (expr.getKind() == AffineExprKind::Mul)
    return coefficientOf(binary.getLHS(), d) * constantOf(binary.getRHS());
  return 0;
}

int64_t mkc::nn::constantOf(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 0;
  if (expr.getKind() == AffineExprKind::Add)
    return constantOf(binary.getLHS()) + constantOf(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul)
    return constantOf(binary.getLHS()) * constantOf(binary.getRHS());
  return 0;
}
