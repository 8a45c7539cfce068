//===- Gather.cpp - nn.gather and nn.arg_reduce ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/OpEmitter.h"
#include "dialects/mk/Mk.h"
#include "dialects/nn/ElementTypes.h"
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::cuda;

static Value integer(ThreadBuilder &tb, int64_t value) {
  return arith::ConstantIntOp::create(tb.b, tb.loc, value, 64);
}

//===----------------------------------------------------------------------===//
// nn.gather
//===----------------------------------------------------------------------===//

/// The number at `point` of the indices, from the end if negative, and as it
/// is.
static std::pair<Value, Value> loadIndex(ThreadBuilder &tb,
                                         const LinearAccess &indices,
                                         ArrayRef<Index> point, int64_t size) {
  Value raw = tb.loadScalar(indices.memory, tb.offsetAt(indices, point));
  Type i64 = tb.b.getI64Type();
  if (raw.getType() != i64)
    raw = arith::ExtSIOp::create(tb.b, tb.loc, i64, raw);
  Value negative = arith::CmpIOp::create(
      tb.b, tb.loc, arith::CmpIPredicate::slt, raw, integer(tb, 0));
  Value fromEnd = arith::AddIOp::create(tb.b, tb.loc, raw, integer(tb, size));
  Value index = arith::SelectOp::create(tb.b, tb.loc, negative, fromEnd, raw);
  return {index, raw};
}

LogicalResult mkc::cuda::emitGather(ThreadBuilder &tb, const TiledOp &op) {
  auto gather = cast<nn::GatherOp>(op.nest.op);
  unsigned rank = op.nest.rank(), axis = gather.getAxis();
  int64_t size =
      cast<RankedTensorType>(gather.getData().getType()).getDimSize(axis);
  LinearAccess data = tb.linearize(op.inputs[0], op.nest.inputMaps[0], rank);
  LinearAccess indices = tb.linearize(op.inputs[1], op.nest.inputMaps[1], rank);
  LinearAccess result =
      tb.linearize(op.results[0], op.nest.resultMaps[0], rank);
  SmallVector<unsigned> all = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  SmallVector<int64_t> sizes = upperBounds(op);
  SmallVector<Index> point(rank, 0);
  tb.forEachThreadPoint(
      op.ranges, sizes, orderForThreads(all, {data, result}, sizes), point,
      [&] {
        auto [index, raw] = loadIndex(tb, indices, point, size);
        Value ok = mk::CheckIndexOp::create(tb.b, tb.loc, tb.b.getI1Type(),
                                            index, raw, size);
        tb.ifTrue(ok, [&] {
          Value position = arith::IndexCastOp::create(
              tb.b, tb.loc, tb.b.getIndexType(), index);
          Index shift = tb.mul(Index(position), op.inputs[0].strides[axis]);
          Value value = tb.loadScalar(data.memory,
                                      tb.add(tb.offsetAt(data, point), shift));
          tb.storeScalar(value, result.memory, tb.offsetAt(result, point));
        });
      });
  return success();
}

//===----------------------------------------------------------------------===//
// nn.arg_reduce
//===----------------------------------------------------------------------===//

namespace {
/// Partial results are a value and its index; the index of nothing is -1.
class ArgReduceEmitter {
public:
  ArgReduceEmitter(ThreadBuilder &tb, const TiledOp &op)
      : tb(tb), op(op), reduce(cast<nn::ArgReduceOp>(op.nest.op)),
        x(tb.linearize(op.inputs[0], op.nest.inputMaps[0], op.nest.rank())),
        result(tb.linearize(op.results[0], op.nest.resultMaps[0],
                            op.nest.rank())) {}

  void emit() {
    TeamReducer reducer;
    reducer.identity = [&] {
      Type element = nn::computeType(x.memory.elementType);
      Value zero =
          arith::ConstantOp::create(tb.b, tb.loc, tb.b.getZeroAttr(element));
      return SmallVector<Value>{zero, integer(tb, -1)};
    };
    reducer.accumulate = [&](ArrayRef<Index> point, ValueRange partial) {
      Value value = tb.loadNumber(x.memory, tb.offsetAt(x, point));
      Value index =
          arith::IndexCastOp::create(tb.b, tb.loc, tb.b.getI64Type(),
                                     tb.materialize(point[reduce.getAxis()]));
      return better(partial, {value, index});
    };
    reducer.combine = [&](ValueRange a, ValueRange c) { return better(a, c); };
    reducer.finish = [&](ArrayRef<Index> point, ValueRange total) {
      tb.storeScalar(total[1], result.memory, tb.offsetAt(result, point));
    };
    reduceInTeams(
        tb,
        planTeams(op.ranges, upperBounds(op), op.nest.parallel, {x}, {result}),
        reducer);
  }

private:
  Value both(Value a, Value c) {
    return arith::AndIOp::create(tb.b, tb.loc, a, c);
  }
  Value either(Value a, Value c) {
    return arith::OrIOp::create(tb.b, tb.loc, a, c);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value c) {
    return arith::CmpIOp::create(tb.b, tb.loc, predicate, a, c);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value c) {
    return arith::CmpFOp::create(tb.b, tb.loc, predicate, a, c);
  }

  /// Whether value c beats a, and whether they are alike: a NaN beats every
  /// number, and NaNs are alike.
  std::pair<Value, Value> rank(Value a, Value c) {
    if (!isa<FloatType>(a.getType()))
      return {compare(reduce.getIsMax() ? arith::CmpIPredicate::sgt
                                        : arith::CmpIPredicate::slt,
                      c, a),
              compare(arith::CmpIPredicate::eq, c, a)};
    Value aIsNan = compare(arith::CmpFPredicate::UNO, a, a);
    Value cIsNan = compare(arith::CmpFPredicate::UNO, c, c);
    Value aIsNumber = compare(arith::CmpFPredicate::ORD, a, a);
    Value beats = compare(reduce.getIsMax() ? arith::CmpFPredicate::OGT
                                            : arith::CmpFPredicate::OLT,
                          c, a);
    return {
        either(beats, both(cIsNan, aIsNumber)),
        either(compare(arith::CmpFPredicate::OEQ, c, a), both(aIsNan, cIsNan))};
  }

  SmallVector<Value> better(ValueRange a, ValueRange c) {
    auto [beats, alike] = rank(a[0], c[0]);
    // Of equal values the first or last index; nothing (-1) never wins.
    Value preferred = compare(reduce.getLast() ? arith::CmpIPredicate::sgt
                                               : arith::CmpIPredicate::slt,
                              c[1], a[1]);
    Value takes = either(beats, both(alike, preferred));
    Value isFirst = compare(arith::CmpIPredicate::slt, a[1], integer(tb, 0));
    Value exists = compare(arith::CmpIPredicate::sge, c[1], integer(tb, 0));
    takes = both(exists, either(isFirst, takes));
    auto select = [&](Value yes, Value no) -> Value {
      return arith::SelectOp::create(tb.b, tb.loc, takes, yes, no);
    };
    return {select(c[0], a[0]), select(c[1], a[1])};
  }

  ThreadBuilder &tb;
  const TiledOp &op;
  nn::ArgReduceOp reduce;
  LinearAccess x, result;
};
} // namespace

LogicalResult mkc::cuda::emitArgReduce(ThreadBuilder &tb, const TiledOp &op) {
  ArgReduceEmitter(tb, op).emit();
  return success();
}
