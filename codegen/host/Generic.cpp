//===- Generic.cpp - Elementwise ops and reductions -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generic becomes loops around vectors along one loop of the nest. Adjacent
// loops that every operand walks as one are merged first, so that small inner
// dims do not make short vectors.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/OpEmitter.h"
#include "codegen/tile/ScalarBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::codegen;
using namespace mkc::host;

namespace {

struct VectorNest : codegen::LoopNest {
  /// Per input, its value if no loop moves it, else null.
  SmallVector<Value> fixed;
};

VectorNest buildVectorNest(KernelBuilder &kb, const TileOp &op) {
  VectorNest nest{codegen::buildNest(kb, op), {}};
  for (const LinearAccess &access : nest.inputs)
    nest.fixed.push_back(loadIfFixed(kb, access));
  return nest;
}

SmallVector<LoopRange> rangesOf(const VectorNest &nest) {
  return llvm::map_to_vector(nest.loops, [](const Loop &l) { return l.range; });
}

SmallVector<int64_t> sizesOf(const VectorNest &nest) {
  return llvm::map_to_vector(nest.loops, [](const Loop &l) { return l.size; });
}

/// Values of the inputs at `point`, vectors along `lane`.
SmallVector<Value> loadInputs(KernelBuilder &kb, const VectorNest &nest,
                              ArrayRef<Index> point, unsigned lane,
                              Value mask) {
  SmallVector<Value> values;
  for (auto [access, fixed] : llvm::zip_equal(nest.inputs, nest.fixed))
    values.push_back(fixed ? fixed
                           : kb.loadVector(access.memory,
                                           kb.offsetAt(access, point),
                                           access.strides[lane], mask));
  return values;
}

/// `point` in terms of the op's own loops, for linalg.index. Only used when no
/// loops were dropped or merged.
SmallVector<Value> evaluateAt(KernelBuilder &kb, linalg::GenericOp op,
                              SmallVector<Value> arguments,
                              ArrayRef<Index> point, unsigned lane) {
  return evaluateBody(kb, op, arguments, point, lane);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

void emitElementwise(KernelBuilder &kb, const TileOp &op,
                     const VectorNest &nest) {
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, nest.loops.size()));
  unsigned lane =
      chooseLaneLoop(kb.lanes, nest.inputs, nest.results, sizesOf(nest), all);
  SmallVector<unsigned> outer = all;
  outer.erase(outer.begin() + lane);
  SmallVector<Index> point(nest.loops.size(), 0);
  SmallVector<LoopRange> ranges = rangesOf(nest);
  forEachPoint(kb, ranges, outer, point, [&] {
    forEachVector(kb, ranges[lane], [&](Index i, Value mask) {
      point[lane] = i;
      SmallVector<Value> values;
      if (auto generic = dyn_cast<linalg::GenericOp>(op.nest.op)) {
        SmallVector<Value> arguments = loadInputs(kb, nest, point, lane, mask);
        values = evaluateAt(kb, generic, arguments, point, lane);
      } else {
        auto scalar = cast<linalg::FillOp>(op.nest.op)
                          .value()
                          .getDefiningOp<arith::ConstantOp>();
        values = {kb.splat(scalar.getValue())};
      }
      for (auto [access, value] : llvm::zip(nest.results, values))
        kb.storeVector(value, access.memory, kb.offsetAt(access, point),
                       access.strides[lane], mask);
    });
  });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

struct Reduction : codegen::ReductionBody {
  vector::CombiningKind kind;
};

std::optional<vector::CombiningKind> combiningKind(Operation *op) {
  using Kind = vector::CombiningKind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Kind::ADD; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Kind::MUL; })
      .Case([](arith::MaximumFOp) { return Kind::MAXIMUMF; })
      .Case([](arith::MinimumFOp) { return Kind::MINIMUMF; })
      .Case([](arith::MaxNumFOp) { return Kind::MAXNUMF; })
      .Case([](arith::MinNumFOp) { return Kind::MINNUMF; })
      .Case([](arith::MaxSIOp) { return Kind::MAXSI; })
      .Case([](arith::MinSIOp) { return Kind::MINSI; })
      .Case([](arith::AndIOp) { return Kind::AND; })
      .Case([](arith::OrIOp) { return Kind::OR; })
      .Case([](arith::XOrIOp) { return Kind::XOR; })
      .Default([](Operation *) { return std::nullopt; });
}

FailureOr<Reduction> matchReduction(linalg::GenericOp op) {
  FailureOr<ReductionBody> body = codegen::matchReductionBody(op);
  if (failed(body))
    return failure();
  std::optional<vector::CombiningKind> kind = combiningKind(body->combiner);
  if (!kind)
    return op.emitOpError("reduces by '")
           << body->combiner->getName() << "', which has no vector form";
  return Reduction{*body, *kind};
}

/// accumulator combined with the body's value at `point`; lanes outside `mask`
/// keep the accumulator.
Value accumulate(KernelBuilder &kb, const TileOp &op, const VectorNest &nest,
                 const Reduction &reduction, Value accumulator,
                 ArrayRef<Index> point, unsigned lane, Value mask) {
  auto generic = cast<linalg::GenericOp>(op.nest.op);
  SmallVector<Value> arguments = loadInputs(kb, nest, point, lane, mask);
  arguments.push_back(accumulator);
  Value next = evaluateAt(kb, generic, arguments, point, lane)[0];
  if (!mask || nest.loops[lane].parallel)
    return next;
  return arith::SelectOp::create(kb.b, kb.loc, mask, next, accumulator);
}

/// Loops over `loops` carrying one accumulator.
Value reduceOver(KernelBuilder &kb, ArrayRef<LoopRange> ranges,
                 ArrayRef<unsigned> loops, SmallVectorImpl<Index> &point,
                 Value accumulator, function_ref<Value(Value)> body) {
  if (loops.empty())
    return body(accumulator);
  const LoopRange &range = ranges[loops.front()];
  return kb.loop(range.begin, kb.add(range.begin, range.size), 1, {accumulator},
                 [&](Index i, ValueRange carried) -> SmallVector<Value> {
                   point[loops.front()] = i;
                   return {reduceOver(kb, ranges, loops.drop_front(), point,
                                      carried[0], body)};
                 })[0];
}

/// Vectors along a parallel loop: each lane is its own result.
void reduceAcrossLanes(KernelBuilder &kb, const TileOp &op,
                       const VectorNest &nest, const Reduction &reduction,
                       unsigned lane, ArrayRef<unsigned> outer,
                       ArrayRef<unsigned> reduced) {
  SmallVector<Index> point(nest.loops.size(), 0);
  SmallVector<LoopRange> ranges = rangesOf(nest);
  const LinearAccess &result = nest.results[0];
  forEachPoint(kb, ranges, outer, point, [&] {
    forEachVector(kb, ranges[lane], [&](Index i, Value mask) {
      point[lane] = i;
      Value total = reduceOver(
          kb, ranges, reduced, point, kb.splat(reduction.init), [&](Value acc) {
            return accumulate(kb, op, nest, reduction, acc, point, lane, mask);
          });
      kb.storeVector(total, result.memory, kb.offsetAt(result, point),
                     result.strides[lane], mask);
    });
  });
}

/// Independent accumulators hide the latency of the combiner.
constexpr int64_t kChains = 4;

/// The sum over the lane loop: kChains vectors at a time, then one, then the
/// rest.
Value reduceAlongLanes(KernelBuilder &kb, const TileOp &op,
                       const VectorNest &nest, const Reduction &reduction,
                       unsigned lane, SmallVectorImpl<Index> &point,
                       Value accumulator) {
  LoopRange range = nest.loops[lane].range;
  Index end = kb.add(range.begin, range.size);
  auto step = [&](Value acc, Index i, Value mask) {
    point[lane] = i;
    return accumulate(kb, op, nest, reduction, acc, point, lane, mask);
  };
  auto combine = [&](Value a, Value c) {
    return vector::makeArithReduction(kb.b, kb.loc, reduction.kind, a, c);
  };
  Index begin = range.begin;
  if (nest.loops[lane].size >= 2 * kChains * kb.lanes) {
    Index wide = kb.sub(end, kb.mod(range.size, kChains * kb.lanes));
    SmallVector<Value> chains(kChains, kb.splat(reduction.identity));
    chains =
        kb.loop(begin, wide, kChains * kb.lanes, chains,
                [&](Index i, ValueRange carried) {
                  SmallVector<Value> next;
                  for (auto [c, acc] : llvm::enumerate(carried))
                    next.push_back(step(acc, kb.add(i, c * kb.lanes), Value()));
                  return next;
                });
    Value joined =
        combine(combine(chains[0], chains[1]), combine(chains[2], chains[3]));
    accumulator = combine(accumulator, joined);
    begin = wide;
  }
  Index rest = kb.mod(range.size, kb.lanes);
  Index fullEnd = kb.sub(end, rest);
  accumulator = kb.loop(begin, fullEnd, kb.lanes, {accumulator},
                        [&](Index i, ValueRange carried) -> SmallVector<Value> {
                          return {step(carried[0], i, Value())};
                        })[0];
  if (rest.is(0))
    return accumulator;
  Value mask =
      vector::CreateMaskOp::create(kb.b, kb.loc, kb.vectorOf(kb.b.getI1Type()),
                                   ValueRange{kb.materialize(rest)});
  return step(accumulator, fullEnd, mask);
}

void reduceIntoScalar(KernelBuilder &kb, const TileOp &op,
                      const VectorNest &nest, const Reduction &reduction,
                      unsigned lane, ArrayRef<unsigned> outer,
                      ArrayRef<unsigned> reduced) {
  SmallVector<Index> point(nest.loops.size(), 0);
  SmallVector<LoopRange> ranges = rangesOf(nest);
  const LinearAccess &result = nest.results[0];
  forEachPoint(kb, ranges, outer, point, [&] {
    Value lanes = reduceOver(kb, ranges, reduced, point,
                             kb.splat(reduction.identity), [&](Value acc) {
                               return reduceAlongLanes(kb, op, nest, reduction,
                                                       lane, point, acc);
                             });
    Value init = arith::ConstantOp::create(kb.b, kb.loc, reduction.init);
    Value total =
        vector::ReductionOp::create(kb.b, kb.loc, reduction.kind, lanes, init);
    point[lane] = 0;
    kb.storeScalar(total, result.memory, kb.offsetAt(result, point));
  });
}

LogicalResult emitReduction(KernelBuilder &kb, const TileOp &op,
                            const VectorNest &nest) {
  FailureOr<Reduction> reduction =
      matchReduction(cast<linalg::GenericOp>(op.nest.op));
  if (failed(reduction))
    return failure();
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, nest.loops.size()));
  unsigned lane =
      chooseLaneLoop(kb.lanes, nest.inputs, nest.results, sizesOf(nest), all);
  SmallVector<unsigned> outer, reduced;
  for (unsigned i : all)
    if (i != lane)
      (nest.loops[i].parallel ? outer : reduced).push_back(i);
  if (nest.loops[lane].parallel)
    reduceAcrossLanes(kb, op, nest, *reduction, lane, outer, reduced);
  else
    reduceIntoScalar(kb, op, nest, *reduction, lane, outer, reduced);
  return success();
}

} // namespace

LogicalResult mkc::host::emitGeneric(KernelBuilder &kb, const TileOp &op) {
  VectorNest nest = buildVectorNest(kb, op);
  if (op.nest.hasReduction())
    return emitReduction(kb, op, nest);
  emitElementwise(kb, op, nest);
  return success();
}
