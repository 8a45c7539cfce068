//===- Gather.cpp - nn.gather and nn.arg_reduce ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/OpEmitter.h"
#include "dialects/nn/Nn.h"
#include "runtime/format/HostAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::host;

//===----------------------------------------------------------------------===//
// nn.gather
//===----------------------------------------------------------------------===//

/// Stores `value` (i64) into the worker's environment.
static void storeToEnv(KernelBuilder &kb, Value value, size_t offset) {
  Value address =
      LLVM::GEPOp::create(kb.b, kb.loc, kb.env.getType(), kb.b.getI8Type(),
                          kb.env, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  LLVM::StoreOp::create(kb.b, kb.loc, value, address);
}

static void reportBadIndex(KernelBuilder &kb, Value index, int64_t bound) {
  using mkrt::format::HostEnv;
  auto constant = [&](int64_t v) {
    return arith::ConstantIntOp::create(kb.b, kb.loc, v, 64).getResult();
  };
  storeToEnv(kb, index, offsetof(HostEnv, faultIndex));
  storeToEnv(kb, constant(bound), offsetof(HostEnv, faultBound));
  storeToEnv(kb, constant(1), offsetof(HostEnv, indexFault));
}

namespace {
struct GatherEmitter {
  KernelBuilder &kb;
  const TileOp &op;
  LinearAccess data, indices, result;
  int64_t axisStride, axisSize;
  SmallVector<unsigned> inner; ///< Loops that the index doesn't depend on.
  SmallVector<Index> point;

  /// The element's index as i64, from the end if negative.
  std::pair<Value, Value> loadIndex() {
    Value raw = kb.loadScalar(indices.memory, kb.offsetAt(indices, point));
    Type i64 = kb.b.getI64Type();
    if (raw.getType() != i64)
      raw = arith::ExtSIOp::create(kb.b, kb.loc, i64, raw);
    Value zero = arith::ConstantIntOp::create(kb.b, kb.loc, 0, 64);
    Value size = arith::ConstantIntOp::create(kb.b, kb.loc, axisSize, 64);
    Value negative = arith::CmpIOp::create(
        kb.b, kb.loc, arith::CmpIPredicate::slt, raw, zero);
    Value fromEnd = arith::AddIOp::create(kb.b, kb.loc, raw, size);
    Value index = arith::SelectOp::create(kb.b, kb.loc, negative, fromEnd, raw);
    return {raw, index};
  }

  void copy(Index gathered) {
    Index shift = kb.mul(gathered, axisStride);
    if (inner.empty()) {
      Value value =
          kb.loadScalar(data.memory, kb.add(kb.offsetAt(data, point), shift));
      kb.storeScalar(value, result.memory, kb.offsetAt(result, point));
      return;
    }
    unsigned lane =
        chooseLaneLoop(kb.lanes, {data}, {result}, op.nest.extents, inner);
    SmallVector<unsigned> outer;
    for (unsigned d : inner)
      if (d != lane)
        outer.push_back(d);
    forEachPoint(kb, op.ranges, outer, point, [&] {
      forEachVector(kb, op.ranges[lane], [&](Index i, Value mask) {
        point[lane] = i;
        Value value =
            kb.loadVector(data.memory, kb.add(kb.offsetAt(data, point), shift),
                          data.strides[lane], mask);
        kb.storeVector(value, result.memory, kb.offsetAt(result, point),
                       result.strides[lane], mask);
      });
    });
  }

  void element() {
    auto [raw, index] = loadIndex();
    Value size = arith::ConstantIntOp::create(kb.b, kb.loc, axisSize, 64);
    // One unsigned comparison covers both ends.
    Value inside = arith::CmpIOp::create(
        kb.b, kb.loc, arith::CmpIPredicate::ult, index, size);
    auto branch = scf::IfOp::create(kb.b, kb.loc, inside, /*addElse=*/true);
    OpBuilder::InsertionGuard guard(kb.b);
    kb.b.setInsertionPointToStart(&branch.getThenRegion().front());
    Value position =
        arith::IndexCastOp::create(kb.b, kb.loc, kb.b.getIndexType(), index);
    copy(Index(position));
    kb.b.setInsertionPointToStart(&branch.getElseRegion().front());
    reportBadIndex(kb, raw, axisSize);
  }
};
} // namespace

LogicalResult mkc::host::emitGather(KernelBuilder &kb, const TileOp &op) {
  auto gather = cast<nn::GatherOp>(op.nest.op);
  unsigned rank = op.nest.rank();
  unsigned axis = gather.getAxis();
  auto dataType = cast<RankedTensorType>(gather.getData().getType());
  unsigned indexRank =
      cast<RankedTensorType>(gather.getIndices().getType()).getRank();
  GatherEmitter emitter{
      kb,
      op,
      kb.linearize(op.inputs[0], op.nest.inputMaps[0], rank),
      kb.linearize(op.inputs[1], op.nest.inputMaps[1], rank),
      kb.linearize(op.results[0], op.nest.resultMaps[0], rank),
      op.inputs[0].strides[axis],
      dataType.getDimSize(axis),
      {},
      SmallVector<Index>(rank, 0)};
  // Loops over the indices go outside: each index is loaded and checked once.
  SmallVector<unsigned> outer;
  for (unsigned d = 0; d < rank; ++d)
    (d >= axis && d < axis + indexRank ? outer : emitter.inner).push_back(d);
  forEachPoint(kb, op.ranges, outer, emitter.point, [&] { emitter.element(); });
  return success();
}

//===----------------------------------------------------------------------===//
// nn.arg_reduce
//===----------------------------------------------------------------------===//

/// True if `value` takes the place of `best` (a NaN before all numbers).
static Value isBetter(KernelBuilder &kb, nn::ArgReduceOp op, Value value,
                      Value best) {
  bool isMax = op.getIsMax(), orEqual = op.getLast();
  if (!isa<FloatType>(value.getType())) {
    using P = arith::CmpIPredicate;
    P predicate =
        isMax ? (orEqual ? P::sge : P::sgt) : (orEqual ? P::sle : P::slt);
    return arith::CmpIOp::create(kb.b, kb.loc, predicate, value, best);
  }
  using P = arith::CmpFPredicate;
  P predicate =
      isMax ? (orEqual ? P::OGE : P::OGT) : (orEqual ? P::OLE : P::OLT);
  auto cmp = [&](P p, Value a, Value c) {
    return arith::CmpFOp::create(kb.b, kb.loc, p, a, c).getResult();
  };
  Value ordered = cmp(predicate, value, best);
  Value valueIsNan = cmp(P::UNO, value, value);
  Value bestIsNumber = cmp(orEqual ? P::AlwaysTrue : P::ORD, best, best);
  Value takesNan =
      arith::AndIOp::create(kb.b, kb.loc, valueIsNan, bestIsNumber);
  return arith::OrIOp::create(kb.b, kb.loc, ordered, takesNan);
}

LogicalResult mkc::host::emitArgReduce(KernelBuilder &kb, const TileOp &op) {
  auto reduce = cast<nn::ArgReduceOp>(op.nest.op);
  unsigned rank = op.nest.rank(), axis = reduce.getAxis();
  LinearAccess x = kb.linearize(op.inputs[0], op.nest.inputMaps[0], rank);
  LinearAccess result =
      kb.linearize(op.results[0], op.nest.resultMaps[0], rank);
  SmallVector<unsigned> outer;
  for (unsigned d = 0; d < rank; ++d)
    if (d != axis)
      outer.push_back(d);
  SmallVector<Index> point(rank, 0);
  forEachPoint(kb, op.ranges, outer, point, [&] {
    point[axis] = 0;
    Value first = kb.loadExtended(x.memory, kb.offsetAt(x, point));
    Value zero = kb.materialize(0);
    SmallVector<Value> best =
        kb.loop(1, op.nest.extents[axis], 1, {first, zero},
                [&](Index i, ValueRange carried) -> SmallVector<Value> {
                  point[axis] = i;
                  Value value =
                      kb.loadExtended(x.memory, kb.offsetAt(x, point));
                  Value better = isBetter(kb, reduce, value, carried[0]);
                  auto select = [&](Value a, Value c) {
                    return arith::SelectOp::create(kb.b, kb.loc, better, a, c)
                        .getResult();
                  };
                  return {select(value, carried[0]),
                          select(kb.materialize(i), carried[1])};
                });
    point[axis] = 0;
    Value index =
        arith::IndexCastOp::create(kb.b, kb.loc, kb.b.getI64Type(), best[1]);
    kb.storeScalar(index, result.memory, kb.offsetAt(result, point));
  });
  return success();
}
