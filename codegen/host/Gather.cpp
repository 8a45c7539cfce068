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
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

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

namespace {

/// The best elements so far, one per lane, and where they are.
struct Best {
  Value value, index;
};

/// Runs vectors along any loop: along a parallel one each lane is a result of
/// its own, along the axis the lanes are joined at the end. Indices are i32
/// where the axis is short enough, so that they fill the vectors that values
/// do.
class ArgReduceEmitter {
public:
  ArgReduceEmitter(KernelBuilder &kb, const TileOp &op)
      : kb(kb), op(op), reduce(cast<nn::ArgReduceOp>(op.nest.op)),
        axis(reduce.getAxis()), size(op.nest.extents[axis]),
        x(kb.linearize(op.inputs[0], op.nest.inputMaps[0], op.nest.rank())),
        result(
            kb.linearize(op.results[0], op.nest.resultMaps[0], op.nest.rank())),
        indexType(kb.b.getIntegerType(
            size <= std::numeric_limits<int32_t>::max() ? 32 : 64)),
        point(op.nest.rank(), 0) {}

  void emit() {
    SmallVector<unsigned> loops;
    for (unsigned d = 0; d < op.nest.rank(); ++d)
      loops.push_back(d);
    lane = chooseLaneLoop(kb.lanes, {x}, {result}, op.nest.extents, loops);
    SmallVector<unsigned> outer;
    for (unsigned d : loops)
      if (d != lane && d != axis)
        outer.push_back(d);
    forEachPoint(kb, op.ranges, outer, point, [&] {
      if (lane == axis)
        alongAxis();
      else
        acrossLanes();
    });
  }

private:
  void acrossLanes() {
    forEachVector(kb, op.ranges[lane], [&](Index i, Value mask) {
      point[lane] = i;
      Best best = first(mask);
      SmallVector<Value> found =
          kb.loop(1, size, 1, {best.value, best.index},
                  [&](Index k, ValueRange carried) -> SmallVector<Value> {
                    Best next{loadAt(k, mask), kb.broadcast(indexOf(k))};
                    return select(isBetter(next.value, carried[0]), next,
                                  {carried[0], carried[1]});
                  });
      point[axis] = 0;
      kb.storeVector(extendIndex(found[1]), result.memory,
                     kb.offsetAt(result, point), result.strides[lane], mask);
    });
  }

  /// All lanes start from the first element, so that each has one, however
  /// short the axis is.
  void alongAxis() {
    point[axis] = 0;
    Value start = kb.loadExtended(x.memory, kb.offsetAt(x, point));
    Best best{kb.broadcast(start), kb.broadcast(indexOf(0))};
    auto step = [&](Best best, Index k, Value mask) {
      Value indices = arith::AddIOp::create(
          kb.b, kb.loc, kb.broadcast(indexOf(k)), laneNumbers());
      Best next{loadAt(k, mask), indices};
      Value better = isBetter(next.value, best.value);
      if (mask)
        better = arith::AndIOp::create(kb.b, kb.loc, better, mask);
      return select(better, next, best);
    };
    int64_t rest = size % kb.lanes;
    SmallVector<Value> found =
        kb.loop(0, size - rest, kb.lanes, {best.value, best.index},
                [&](Index k, ValueRange carried) {
                  return step({carried[0], carried[1]}, k, Value());
                });
    if (rest)
      found = step({found[0], found[1]}, size - rest, kb.laneMask(rest));
    point[axis] = 0;
    kb.storeScalar(extendIndex(joinLanes({found[0], found[1]}).index),
                   result.memory, kb.offsetAt(result, point));
  }

  /// The best of all lanes; of equal ones that with the wanted index.
  Best joinLanes(Best lanes) {
    auto extract = [&](int64_t i) -> Best {
      return {vector::ExtractOp::create(kb.b, kb.loc, lanes.value, i),
              vector::ExtractOp::create(kb.b, kb.loc, lanes.index, i)};
    };
    Best best = extract(0);
    for (int64_t i = 1; i < kb.lanes; ++i) {
      Best next = extract(i);
      Value isWanted =
          arith::CmpIOp::create(kb.b, kb.loc,
                                reduce.getLast() ? arith::CmpIPredicate::sgt
                                                 : arith::CmpIPredicate::slt,
                                next.index, best.index);
      // Equal ones are better in both directions, or in none.
      Value forward = isBetter(next.value, best.value);
      Value backward = isBetter(best.value, next.value);
      Value isEqual = arith::CmpIOp::create(
          kb.b, kb.loc, arith::CmpIPredicate::eq, forward, backward);
      Value better =
          arith::SelectOp::create(kb.b, kb.loc, isEqual, isWanted, forward);
      SmallVector<Value> joined = select(better, next, best);
      best = {joined[0], joined[1]};
    }
    return best;
  }

  Best first(Value mask) { return {loadAt(0, mask), kb.broadcast(indexOf(0))}; }

  Value loadAt(Index k, Value mask) {
    point[axis] = k;
    return kb.loadExtended(x.memory, kb.offsetAt(x, point), x.strides[lane],
                           mask);
  }

  Value indexOf(Index k) {
    return arith::IndexCastOp::create(kb.b, kb.loc, indexType,
                                      kb.materialize(k));
  }

  Value laneNumbers() {
    return arith::IndexCastOp::create(kb.b, kb.loc, kb.vectorOf(indexType),
                                      kb.lanesFrom(0));
  }

  /// As i64, which the result is of.
  Value extendIndex(Value index) {
    if (indexType.isInteger(64))
      return index;
    Type i64 = kb.b.getI64Type();
    return arith::ExtSIOp::create(
        kb.b, kb.loc,
        isa<VectorType>(index.getType()) ? Type(kb.vectorOf(i64)) : i64, index);
  }

  SmallVector<Value> select(Value better, Best next, Best best) {
    auto pick = [&](Value a, Value c) -> Value {
      return arith::SelectOp::create(kb.b, kb.loc, better, a, c);
    };
    return {pick(next.value, best.value), pick(next.index, best.index)};
  }

  /// True if `value`, which comes later, takes the place of `best` (a NaN
  /// before all numbers).
  Value isBetter(Value value, Value best) {
    bool isMax = reduce.getIsMax(), orEqual = reduce.getLast();
    if (!isa<FloatType>(getElementTypeOrSelf(value.getType()))) {
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

  KernelBuilder &kb;
  const TileOp &op;
  nn::ArgReduceOp reduce;
  unsigned axis, lane = 0;
  int64_t size;
  LinearAccess x, result;
  Type indexType;
  SmallVector<Index> point;
};

} // namespace

LogicalResult mkc::host::emitArgReduce(KernelBuilder &kb, const TileOp &op) {
  ArgReduceEmitter(kb, op).emit();
  return success();
}
