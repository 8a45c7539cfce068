//===- Pool.cpp - Windows of a tensor -------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/OpEmitter.h"
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::host;

/// True if `loop` shares an index of x with another loop: its vectors would
/// cross the border.
static bool isWindowed(const nn::IndexMap &map, unsigned loop, unsigned rank) {
  for (AffineExpr expr : map.exprs) {
    if (nn::coefficientOf(expr, loop) == 0)
      continue;
    if (nn::constantOf(expr) != 0)
      return true;
    for (unsigned d = 0; d < rank; ++d)
      if (d != loop && nn::coefficientOf(expr, d) != 0)
        return true;
  }
  return false;
}

static TypedAttr identityOf(OpBuilder &b, nn::PoolKind kind, Type type) {
  if (kind == nn::PoolKind::Sum)
    return b.getZeroAttr(type);
  if (auto floatType = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics(),
                                                /*Negative=*/true));
  unsigned width = type.getIntOrFloatBitWidth();
  return b.getIntegerAttr(type, APInt::getSignedMinValue(width));
}

static Value combine(KernelBuilder &kb, nn::PoolKind kind, Value a, Value c) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(a.getType()));
  auto combiner = kind == nn::PoolKind::Sum ? vector::CombiningKind::ADD
                  : isFloat                 ? vector::CombiningKind::MAXIMUMF
                                            : vector::CombiningKind::MAXSI;
  return vector::makeArithReduction(kb.b, kb.loc, combiner, a, c);
}

namespace {
/// Reduces the windows of one tile, a vector of results at a time.
class WindowReducer {
public:
  /// Gives the values to carry on with, from those carried and an element.
  using Step = llvm::function_ref<SmallVector<Value>(ValueRange, Value)>;

  WindowReducer(KernelBuilder &kb, const TileOp &op, bool isBackwards);

  /// `start` holds the first carried values, which `step` makes the results of.
  LogicalResult emit(ValueRange start, Step step);

  /// The loop that vectors go along, and the point of the element that `step`
  /// is called for: its first lane. Both are known inside `step` only.
  unsigned lane = 0;
  SmallVector<Index> point;

private:
  SmallVector<Value> reduce(unsigned depth, ValueRange carried, Value mask,
                            Step step);

  KernelBuilder &kb;
  const TileOp &op;
  bool isBackwards;
  LinearAccess x;
  SmallVector<LinearAccess> results;
  SmallVector<unsigned> windows;
};
} // namespace

WindowReducer::WindowReducer(KernelBuilder &kb, const TileOp &op,
                             bool isBackwards)
    : point(op.nest.rank(), 0), kb(kb), op(op), isBackwards(isBackwards),
      x(kb.linearize(op.inputs[0], op.nest.inputMaps[0], op.nest.rank())) {
  for (auto [memory, map] : llvm::zip_equal(op.results, op.nest.resultMaps))
    results.push_back(kb.linearize(memory, map, op.nest.rank()));
}

/// Walks the windows from `windows[depth]` inwards.
SmallVector<Value> WindowReducer::reduce(unsigned depth, ValueRange carried,
                                         Value mask, Step step) {
  if (depth == windows.size())
    return step(carried, kb.loadExtended(x.memory, kb.offsetAt(x, point),
                                         x.strides[lane], mask));
  unsigned loop = windows[depth];
  auto xType = cast<RankedTensorType>(op.nest.inputs[0].getType());
  LoopRange range = clipWindow(kb, op.nest.inputMaps[0], xType.getShape(), loop,
                               op.ranges[loop], point);
  Index end = kb.add(range.begin, range.size);
  Index mirror = kb.sub(kb.add(range.begin, end), 1);
  return kb.loop(range.begin, end, 1, carried,
                 [&](Index i, ValueRange values) -> SmallVector<Value> {
                   point[loop] = isBackwards ? kb.sub(mirror, i) : i;
                   SmallVector<Value> next =
                       reduce(depth + 1, values, mask, step);
                   point[loop] = 0;
                   return next;
                 });
}

LogicalResult WindowReducer::emit(ValueRange start, Step step) {
  unsigned rank = op.nest.rank();
  SmallVector<unsigned> candidates, outer;
  for (unsigned d = 0; d < rank; ++d)
    if (!op.nest.parallel[d])
      windows.push_back(d);
    else if (!isWindowed(op.nest.inputMaps[0], d, rank))
      candidates.push_back(d);
  if (candidates.empty())
    return op.nest.op->emitOpError("has no loop outside its windows");
  lane = chooseLaneLoop(kb.lanes, {x}, results, op.nest.extents, candidates);
  for (unsigned d = 0; d < rank; ++d)
    if (op.nest.parallel[d] && d != lane)
      outer.push_back(d);
  forEachPoint(kb, op.ranges, outer, point, [&] {
    forEachVector(kb, op.ranges[lane], [&](Index i, Value mask) {
      point[lane] = i;
      SmallVector<Value> values = reduce(0, start, mask, step);
      for (auto [value, result] : llvm::zip_equal(values, results))
        kb.storeVector(value, result.memory, kb.offsetAt(result, point),
                       result.strides[lane], mask);
    });
  });
  return success();
}

LogicalResult mkc::host::emitPool(KernelBuilder &kb, const TileOp &op) {
  nn::PoolKind kind = cast<nn::PoolOp>(op.nest.op).getKind();
  Value start = kb.splat(identityOf(kb.b, kind, op.results[0].elementType));
  return WindowReducer(kb, op, /*isBackwards=*/false)
      .emit(start, [&](ValueRange carried, Value x) -> SmallVector<Value> {
        return {combine(kb, kind, carried[0], x)};
      });
}

//===----------------------------------------------------------------------===//
// nn.arg_pool
//===----------------------------------------------------------------------===//

/// True where `x` takes the place of `best`, which lies behind it in the
/// window: the first of equal ones and the first NaN win, and an infinity wins
/// over the start value.
static Value winsFromBehind(KernelBuilder &kb, Value x, Value best) {
  if (!isa<FloatType>(getElementTypeOrSelf(x.getType())))
    return arith::CmpIOp::create(kb.b, kb.loc, arith::CmpIPredicate::sge, x,
                                 best);
  Value isNaN =
      arith::CmpFOp::create(kb.b, kb.loc, arith::CmpFPredicate::UNO, x, x);
  Value isNotLess =
      arith::CmpFOp::create(kb.b, kb.loc, arith::CmpFPredicate::OGE, x, best);
  return arith::OrIOp::create(kb.b, kb.loc, isNotLess, isNaN);
}

/// 0, stride, 2 * stride, ...: one per lane.
static Value laneOffsets(KernelBuilder &kb, int64_t stride) {
  SmallVector<int64_t> offsets;
  for (int64_t lane = 0; lane < kb.lanes; ++lane)
    offsets.push_back(lane * stride);
  VectorType type = kb.vectorOf(kb.b.getI64Type());
  return arith::ConstantOp::create(
      kb.b, kb.loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(offsets)));
}

LogicalResult mkc::host::emitArgPool(KernelBuilder &kb, const TileOp &op) {
  auto pool = cast<nn::ArgPoolOp>(op.nest.op);
  Type i64 = kb.b.getI64Type();
  // What is stored is the offset of x in a tensor with these strides.
  LinearAccess index =
      kb.linearize({Value(), i64, llvm::to_vector(pool.getIndexStrides()), {}},
                   op.nest.inputMaps[0], op.nest.rank());
  Value lowest =
      kb.splat(identityOf(kb.b, nn::PoolKind::Max, op.results[0].elementType));
  Value zero = kb.splat(kb.b.getI64IntegerAttr(0));
  WindowReducer reducer(kb, op, /*isBackwards=*/true);
  return reducer.emit(
      {lowest, zero}, [&](ValueRange carried, Value x) -> SmallVector<Value> {
        Value first = arith::IndexCastOp::create(
            kb.b, kb.loc, i64,
            kb.materialize(kb.offsetAt(index, reducer.point)));
        Value indices =
            arith::AddIOp::create(kb.b, kb.loc, kb.broadcast(first),
                                  laneOffsets(kb, index.strides[reducer.lane]));
        Value wins = winsFromBehind(kb, x, carried[0]);
        return {
            arith::SelectOp::create(kb.b, kb.loc, wins, x, carried[0]),
            arith::SelectOp::create(kb.b, kb.loc, wins, indices, carried[1])};
      });
}
