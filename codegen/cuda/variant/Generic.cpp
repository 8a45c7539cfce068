//===- Generic.cpp - Elementwise ops and reductions -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/OpEmitter.h"
#include "codegen/tile/ScalarBody.h"
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::cuda;
using codegen::LoopNest;
using codegen::ReductionBody;

LogicalResult mkc::cuda::emitOp(ThreadBuilder &tb, const TiledOp &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op.nest.op)
      .Case<linalg::GenericOp, linalg::FillOp>(
          [&](auto) { return emitGeneric(tb, op); })
      .Case<nn::ContractOp, nn::PoolOp>(
          [&](auto) { return emitWindows(tb, op); })
      .Case([&](nn::GatherOp) { return emitGather(tb, op); })
      .Case([&](nn::ArgReduceOp) { return emitArgReduce(tb, op); })
      .Default([](Operation *other) {
        return other->emitOpError("has no CUDA code generator");
      });
}

SmallVector<int64_t> mkc::cuda::upperBounds(const TiledOp &op) {
  SmallVector<int64_t> sizes;
  for (unsigned d = 0; d < op.nest.rank(); ++d)
    sizes.push_back(codegen::upperBound(op, d));
  return sizes;
}

namespace {
class GenericEmitter {
public:
  GenericEmitter(ThreadBuilder &tb, const TiledOp &op)
      : tb(tb), op(op), nest(codegen::buildNest(tb, op)) {
    for (const codegen::Loop &loop : nest.loops) {
      ranges.push_back(loop.range);
      sizes.push_back(loop.size);
      parallel.push_back(loop.parallel);
    }
  }

  LogicalResult emit() {
    if (op.nest.hasReduction())
      return emitReduction();
    emitElementwise();
    return success();
  }

private:
  void emitElementwise() {
    SmallVector<unsigned> all =
        llvm::to_vector(llvm::seq<unsigned>(0, nest.loops.size()));
    SmallVector<LinearAccess> accesses(nest.inputs);
    llvm::append_range(accesses, nest.results);
    SmallVector<Index> point(nest.loops.size(), 0);
    tb.forEachThreadPoint(
        ranges, sizes, orderForThreads(all, accesses, sizes), point, [&] {
          SmallVector<Value> values;
          if (auto fill = dyn_cast<linalg::FillOp>(op.nest.op))
            values = {tb.b.clone(*fill.value().getDefiningOp())->getResult(0)};
          else
            values = evaluate(point, {});
          for (auto [access, value] : llvm::zip(nest.results, values))
            tb.store(value, access.memory, tb.offsetAt(access, point));
        });
  }

  /// What the body yields at `point`; `accumulators` follow its inputs.
  SmallVector<Value> evaluate(ArrayRef<Index> point, ValueRange accumulators) {
    SmallVector<Value> arguments;
    for (const LinearAccess &access : nest.inputs)
      arguments.push_back(tb.load(access.memory, tb.offsetAt(access, point)));
    llvm::append_range(arguments, accumulators);
    // No loop was dropped or merged if the body asks for indices.
    return codegen::evaluateScalarBody(
        tb, cast<linalg::GenericOp>(op.nest.op), arguments,
        [&](unsigned loop) { return point[loop]; });
  }

  LogicalResult emitReduction() {
    auto generic = cast<linalg::GenericOp>(op.nest.op);
    FailureOr<ReductionBody> body = codegen::matchReductionBody(generic);
    if (failed(body))
      return failure();
    auto constant = [&](TypedAttr value) -> Value {
      return arith::ConstantOp::create(tb.b, tb.loc, value);
    };
    auto combine = [&](Value a, Value c) {
      IRMapping map;
      map.map(body->combiner->getOperand(0), a);
      map.map(body->combiner->getOperand(1), c);
      return tb.b.clone(*body->combiner, map)->getResult(0);
    };
    TeamReducer reducer;
    reducer.identity = [&] {
      return SmallVector<Value>{constant(body->identity)};
    };
    reducer.accumulate = [&](ArrayRef<Index> point, ValueRange partial) {
      return evaluate(point, partial);
    };
    reducer.combine = [&](ValueRange a, ValueRange c) {
      return SmallVector<Value>{combine(a[0], c[0])};
    };
    reducer.finish = [&](ArrayRef<Index> point, ValueRange total) {
      Value value = body->init == body->identity
                        ? total[0]
                        : combine(constant(body->init), total[0]);
      const LinearAccess &result = nest.results[0];
      tb.store(value, result.memory, tb.offsetAt(result, point));
    };
    reduceInTeams(tb,
                  planTeams(ranges, sizes, parallel, nest.inputs, nest.results),
                  reducer);
    return success();
  }

  ThreadBuilder &tb;
  const TiledOp &op;
  LoopNest nest;
  SmallVector<LoopRange> ranges;
  SmallVector<int64_t> sizes;
  SmallVector<bool> parallel;
};
} // namespace

LogicalResult mkc::cuda::emitGeneric(ThreadBuilder &tb, const TiledOp &op) {
  return GenericEmitter(tb, op).emit();
}
