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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::host;

namespace {

/// A loop of the emitted nest: one loop of the op, or several merged.
struct Loop {
  LoopRange range;
  int64_t size; ///< Upper bound of the range's size.
  bool parallel;
  unsigned original; ///< The innermost op loop that it stands for.
};

struct LoopNest {
  SmallVector<Loop> loops;
  SmallVector<LinearAccess> inputs, results;
  /// Per input, its value if no loop moves it, else null.
  SmallVector<Value> fixed;
};

int64_t upperBound(const TileOp &op, unsigned d) {
  return op.ranges[d].size.isConstant() ? op.ranges[d].size.constant
                                        : op.nest.extents[d];
}

void eraseLoop(LoopNest &nest, unsigned i) {
  nest.loops.erase(nest.loops.begin() + i);
  for (auto *list : {&nest.inputs, &nest.results})
    for (LinearAccess &access : *list)
      access.strides.erase(access.strides.begin() + i);
}

/// Removes loop i of one trip; its index becomes part of the base.
void dropUnitLoop(KernelBuilder &kb, LoopNest &nest, unsigned i) {
  for (auto *list : {&nest.inputs, &nest.results})
    for (LinearAccess &access : *list)
      access.base = kb.add(
          access.base, kb.mul(nest.loops[i].range.begin, access.strides[i]));
  eraseLoop(nest, i);
}

/// Loop i+1 is whole and static, and all operands step over it evenly.
bool canMerge(const LoopNest &nest, const TileOp &op, unsigned i) {
  const Loop &outer = nest.loops[i], &inner = nest.loops[i + 1];
  if (outer.parallel != inner.parallel || !inner.range.begin.is(0) ||
      !inner.range.size.isConstant())
    return false;
  for (const auto *list : {&nest.inputs, &nest.results})
    for (const LinearAccess &access : *list)
      if (access.strides[i] != access.strides[i + 1] * inner.size)
        return false;
  return true;
}

void mergeLoops(KernelBuilder &kb, LoopNest &nest, unsigned i) {
  int64_t inner = nest.loops[i + 1].size;
  LoopRange range{kb.mul(nest.loops[i].range.begin, inner),
                  kb.mul(nest.loops[i].range.size, inner)};
  Loop merged{range, nest.loops[i].size * inner, nest.loops[i].parallel,
              nest.loops[i + 1].original};
  for (auto *list : {&nest.inputs, &nest.results})
    for (LinearAccess &access : *list)
      access.strides[i] = access.strides[i + 1];
  eraseLoop(nest, i + 1);
  nest.loops[i] = merged;
}

bool usesLoopIndices(Operation *op) {
  return op->getNumRegions() &&
         !op->getRegion(0).getOps<linalg::IndexOp>().empty();
}

LoopNest buildNest(KernelBuilder &kb, const TileOp &op) {
  LoopNest nest;
  unsigned rank = op.nest.rank();
  for (unsigned d = 0; d < rank; ++d)
    nest.loops.push_back(
        {op.ranges[d], upperBound(op, d), bool(op.nest.parallel[d]), d});
  for (auto [memory, map] : llvm::zip(op.inputs, op.nest.inputMaps))
    nest.inputs.push_back(kb.linearize(memory, map, rank));
  for (auto [memory, map] : llvm::zip(op.results, op.nest.resultMaps))
    nest.results.push_back(kb.linearize(memory, map, rank));
  if (!usesLoopIndices(op.nest.op)) {
    for (unsigned i = rank; i-- > 0;)
      if (nest.loops[i].range.size.is(1) && nest.loops[i].parallel)
        dropUnitLoop(kb, nest, i);
    for (unsigned i = nest.loops.size(); i-- > 1;)
      if (i < nest.loops.size() && canMerge(nest, op, i - 1))
        mergeLoops(kb, nest, i - 1);
  }
  if (nest.loops.empty()) { // a scalar is a loop of one trip
    nest.loops.push_back({{0, 1}, 1, true, 0});
    for (LinearAccess &access : nest.inputs)
      access.strides.push_back(0);
    for (LinearAccess &access : nest.results)
      access.strides.push_back(1);
  }
  for (const LinearAccess &access : nest.inputs)
    nest.fixed.push_back(loadIfFixed(kb, access));
  return nest;
}

SmallVector<LoopRange> rangesOf(const LoopNest &nest) {
  return llvm::map_to_vector(nest.loops, [](const Loop &l) { return l.range; });
}

SmallVector<int64_t> sizesOf(const LoopNest &nest) {
  return llvm::map_to_vector(nest.loops, [](const Loop &l) { return l.size; });
}

/// Values of the inputs at `point`, vectors along `lane`.
SmallVector<Value> loadInputs(KernelBuilder &kb, const LoopNest &nest,
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
                     const LoopNest &nest) {
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

/// result = combine(init, value of the rest of the body).
struct Reduction {
  Operation *combiner;
  Value element;  ///< The combiner's operand that is not the accumulator.
  TypedAttr init; ///< What the result starts from.
  TypedAttr identity;
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

FailureOr<Reduction> matchReductionBody(linalg::GenericOp op) {
  Block *body = op.getBody();
  Value accumulator = body->getArguments().back();
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  if (op.getNumResults() != 1 || !combiner || combiner->getNumOperands() != 2 ||
      !accumulator.hasOneUse() || *accumulator.user_begin() != combiner)
    return op.emitOpError("is no reduction with one accumulator");
  std::optional<vector::CombiningKind> kind = combiningKind(combiner);
  std::optional<TypedAttr> identity = arith::getNeutralElement(combiner);
  auto fill = op.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
  auto init = fill ? fill.value().getDefiningOp<arith::ConstantOp>() : nullptr;
  if (!kind || !identity || !init)
    return op.emitOpError("reduces by '")
           << combiner->getName() << "', which has no vector form or no start";
  Value element = combiner->getOperand(0) == accumulator
                      ? combiner->getOperand(1)
                      : combiner->getOperand(0);
  return Reduction{combiner, element, init.getValue(), *identity, *kind};
}

/// accumulator combined with the body's value at `point`; lanes outside `mask`
/// keep the accumulator.
Value accumulate(KernelBuilder &kb, const TileOp &op, const LoopNest &nest,
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
                       const LoopNest &nest, const Reduction &reduction,
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
                       const LoopNest &nest, const Reduction &reduction,
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

void reduceIntoScalar(KernelBuilder &kb, const TileOp &op, const LoopNest &nest,
                      const Reduction &reduction, unsigned lane,
                      ArrayRef<unsigned> outer, ArrayRef<unsigned> reduced) {
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
                            const LoopNest &nest) {
  FailureOr<Reduction> reduction =
      matchReductionBody(cast<linalg::GenericOp>(op.nest.op));
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
  LoopNest nest = buildNest(kb, op);
  if (op.nest.hasReduction())
    return emitReduction(kb, op, nest);
  emitElementwise(kb, op, nest);
  return success();
}
