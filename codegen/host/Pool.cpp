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
struct PoolEmitter {
  KernelBuilder &kb;
  const TileOp &op;
  nn::PoolKind kind;
  LinearAccess x, result;
  ArrayRef<int64_t> shape;
  unsigned lane;
  SmallVector<unsigned> windows;
  SmallVector<Index> point;

  /// Walks the windows from `windows[depth]` inwards.
  Value window(unsigned depth, Value accumulator, Value mask) {
    if (depth == windows.size()) {
      Value value = kb.loadExtended(x.memory, kb.offsetAt(x, point),
                                    x.strides[lane], mask);
      return combine(kb, kind, accumulator, value);
    }
    unsigned loop = windows[depth];
    LoopRange range = clipWindow(kb, op.nest.inputMaps[0], shape, loop,
                                 op.ranges[loop], point);
    return kb.loop(range.begin, kb.add(range.begin, range.size), 1,
                   {accumulator},
                   [&](Index i, ValueRange carried) -> SmallVector<Value> {
                     point[loop] = i;
                     Value next = window(depth + 1, carried[0], mask);
                     point[loop] = 0;
                     return {next};
                   })[0];
  }
};
} // namespace

LogicalResult mkc::host::emitPool(KernelBuilder &kb, const TileOp &op) {
  auto pool = cast<nn::PoolOp>(op.nest.op);
  unsigned rank = op.nest.rank();
  PoolEmitter emitter{kb,
                      op,
                      pool.getKind(),
                      kb.linearize(op.inputs[0], op.nest.inputMaps[0], rank),
                      kb.linearize(op.results[0], op.nest.resultMaps[0], rank),
                      cast<RankedTensorType>(pool.getX().getType()).getShape(),
                      0,
                      {},
                      SmallVector<Index>(rank, 0)};
  SmallVector<unsigned> candidates, outer;
  for (unsigned d = 0; d < rank; ++d)
    if (!op.nest.parallel[d])
      emitter.windows.push_back(d);
    else if (!isWindowed(op.nest.inputMaps[0], d, rank))
      candidates.push_back(d);
  if (candidates.empty())
    return pool.emitOpError("has no loop outside its windows");
  emitter.lane = chooseLaneLoop(kb.lanes, {emitter.x}, {emitter.result},
                                op.nest.extents, candidates);
  for (unsigned d = 0; d < rank; ++d)
    if (op.nest.parallel[d] && d != emitter.lane)
      outer.push_back(d);
  Type element = op.results[0].elementType;
  TypedAttr identity = identityOf(kb.b, emitter.kind, element);
  forEachPoint(kb, op.ranges, outer, emitter.point, [&] {
    forEachVector(kb, op.ranges[emitter.lane], [&](Index i, Value mask) {
      emitter.point[emitter.lane] = i;
      Value start = kb.splat(identity);
      Value value = emitter.window(0, start, mask);
      kb.storeVector(value, emitter.result.memory,
                     kb.offsetAt(emitter.result, emitter.point),
                     emitter.result.strides[emitter.lane], mask);
    });
  });
  return success();
}
