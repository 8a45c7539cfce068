//===- Windows.cpp - nn.contract and nn.pool ------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/OpEmitter.h"
#include "dialects/nn/ElementTypes.h"
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::cuda;

namespace {
class WindowEmitter {
public:
  WindowEmitter(ThreadBuilder &tb, const TiledOp &op)
      : tb(tb), op(op), pool(dyn_cast<nn::PoolOp>(op.nest.op)),
        element(nn::computeType(op.results[0].elementType)),
        xShape(cast<RankedTensorType>(op.nest.inputs[0].getType()).getShape()) {
    unsigned rank = op.nest.rank();
    for (auto [memory, map] : llvm::zip(op.inputs, op.nest.inputMaps))
      inputs.push_back(tb.linearize(memory, map, rank));
    result = tb.linearize(op.results[0], op.nest.resultMaps[0], rank);
  }

  void emit() {
    TeamReducer reducer;
    reducer.identity = [&] { return SmallVector<Value>{identity()}; };
    reducer.accumulate = [&](ArrayRef<Index> point, ValueRange partial) {
      return SmallVector<Value>{accumulate(point, partial[0])};
    };
    reducer.combine = [&](ValueRange a, ValueRange c) {
      return SmallVector<Value>{combine(a[0], c[0])};
    };
    reducer.finish = [&](ArrayRef<Index> point, ValueRange total) {
      tb.store(total[0], result.memory, tb.offsetAt(result, point));
    };
    reducer.clip = [&](unsigned loop, ArrayRef<Index> point) {
      return codegen::clipWindow(tb, op.nest.inputMaps[0], xShape, loop,
                                 op.ranges[loop], point);
    };
    reduceInTeams(tb,
                  planTeams(op.ranges, upperBounds(op), op.nest.parallel,
                            inputs, {result}),
                  reducer);
  }

private:
  Value identity() {
    TypedAttr value = tb.b.getZeroAttr(element);
    if (isMaximum()) {
      if (auto type = dyn_cast<FloatType>(element))
        value = tb.b.getFloatAttr(
            type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true));
      else
        value = tb.b.getIntegerAttr(
            element, APInt::getSignedMinValue(element.getIntOrFloatBitWidth()));
    }
    return arith::ConstantOp::create(tb.b, tb.loc, value);
  }

  bool isMaximum() { return pool && pool.getKind() == nn::PoolKind::Max; }

  Value load(unsigned input, ArrayRef<Index> point) {
    return tb.loadNumber(inputs[input].memory,
                         tb.offsetAt(inputs[input], point));
  }

  Value accumulate(ArrayRef<Index> point, Value partial) {
    Value x = load(0, point);
    if (pool)
      return combine(partial, x);
    Value w = load(1, point);
    if (isa<FloatType>(element))
      return math::FmaOp::create(tb.b, tb.loc, x, w, partial);
    return combine(partial, arith::MulIOp::create(tb.b, tb.loc, x, w));
  }

  Value combine(Value a, Value c) {
    if (isa<FloatType>(element))
      return isMaximum() ? Value(arith::MaximumFOp::create(tb.b, tb.loc, a, c))
                         : Value(arith::AddFOp::create(tb.b, tb.loc, a, c));
    return isMaximum() ? Value(arith::MaxSIOp::create(tb.b, tb.loc, a, c))
                       : Value(arith::AddIOp::create(tb.b, tb.loc, a, c));
  }

  ThreadBuilder &tb;
  const TiledOp &op;
  nn::PoolOp pool; ///< Null for a contraction.
  Type element;
  ArrayRef<int64_t> xShape;
  SmallVector<LinearAccess> inputs;
  LinearAccess result;
};
} // namespace

LogicalResult mkc::cuda::emitWindows(ThreadBuilder &tb, const TiledOp &op) {
  WindowEmitter(tb, op).emit();
  return success();
}
