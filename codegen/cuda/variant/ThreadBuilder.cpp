//===- ThreadBuilder.cpp - Work of a tile's threads -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/ThreadBuilder.h"
#include "dialects/mk/Mk.h"
#include "dialects/nn/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::cuda;

void ThreadBuilder::sync() { mk::SyncOp::create(b, loc); }

Value ThreadBuilder::lessThan(Index a, Index c) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                               materialize(a), materialize(c));
}

Index ThreadBuilder::quotient(Index a, int64_t divisor) {
  if (a.isConstant())
    return a.constant / divisor;
  if (divisor == 1)
    return a;
  return Index(arith::DivUIOp::create(b, loc, a.value, materialize(divisor))
                   .getResult());
}

Value ThreadBuilder::both(Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return arith::AndIOp::create(b, loc, a, c);
}

void ThreadBuilder::ifTrue(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, loc, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  body();
}

SmallVector<Value>
ThreadBuilder::ifElse(Value condition, ValueRange otherwise,
                      function_ref<SmallVector<Value>()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, loc, otherwise.getTypes(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  SmallVector<Value> values = body();
  scf::YieldOp::create(b, loc, values);
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(b, loc, otherwise);
  return SmallVector<Value>(branch.getResults());
}

Value ThreadBuilder::load(const Memory &memory, Index offset) {
  Value value = loadScalar(memory, offset);
  if (!nn::isHalf(memory.elementType))
    return value;
  return arith::BitcastOp::create(b, loc, memory.elementType, value);
}

void ThreadBuilder::store(Value value, const Memory &memory, Index offset) {
  if (nn::isHalf(value.getType()))
    value = arith::BitcastOp::create(b, loc, b.getI16Type(), value);
  storeScalar(value, memory, offset);
}

Value ThreadBuilder::loadNumber(const Memory &memory, Index offset) {
  Value value = load(memory, offset);
  if (!nn::isHalf(value.getType()))
    return value;
  return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
}

Memory ThreadBuilder::sharedMemory(Type element, int64_t offset,
                                   int64_t count) {
  auto space = cast<MemRefType>(shared.getType()).getMemorySpace();
  auto type = MemRefType::get({count}, codegen::storageType(element),
                              MemRefLayoutAttrInterface(), space);
  Value view = memref::ViewOp::create(b, loc, type, shared, materialize(offset),
                                      ValueRange());
  return {view, element, {1}, {}};
}

Value ThreadBuilder::delinearize(Index n, ArrayRef<LoopRange> ranges,
                                 ArrayRef<int64_t> sizes,
                                 ArrayRef<unsigned> loops,
                                 SmallVectorImpl<Index> &point) {
  Value exists;
  for (unsigned i = loops.size(); i-- > 0;) {
    unsigned loop = loops[i];
    // The first loop needs no remainder: n is below the product of all sizes.
    Index at = i == 0 ? n : mod(n, sizes[loop]);
    n = quotient(n, sizes[loop]);
    if (!ranges[loop].size.is(sizes[loop]))
      exists = both(exists, lessThan(at, ranges[loop].size));
    point[loop] = add(ranges[loop].begin, at);
  }
  return exists;
}

void ThreadBuilder::forEachThreadPoint(ArrayRef<LoopRange> ranges,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<unsigned> loops,
                                       SmallVectorImpl<Index> &point,
                                       function_ref<void()> body) {
  int64_t count = countPoints(sizes, loops);
  if (count == 0)
    return;
  auto visit = [&](Index n) {
    Value exists = delinearize(n, ranges, sizes, loops, point);
    ifTrue(exists, body);
  };
  if (count <= kTileThreads) {
    Value active = count < kTileThreads ? lessThan(thread, count) : Value();
    return ifTrue(active, [&] { visit(Index(thread)); });
  }
  loop(Index(thread), count, kTileThreads, visit);
}

int64_t mkc::cuda::countPoints(ArrayRef<int64_t> sizes,
                               ArrayRef<unsigned> loops) {
  int64_t count = 1;
  for (unsigned loop : loops)
    count *= sizes[loop];
  return count;
}

SmallVector<unsigned>
mkc::cuda::orderForThreads(ArrayRef<unsigned> loops,
                           ArrayRef<LinearAccess> accesses,
                           ArrayRef<int64_t> sizes) {
  SmallVector<unsigned> order(loops);
  // A warp's 32 elements cost one transaction if they are the same or lie side
  // by side, and up to 32 else.
  auto cost = [&](unsigned loop) {
    int64_t total = sizes[loop] < 2 ? 1 << 20 : 0;
    for (const LinearAccess &access : accesses) {
      int64_t stride = std::abs(access.strides[loop]);
      total += stride == 0 ? 0 : std::min<int64_t>(stride, 32);
    }
    return total;
  };
  auto best = order.end();
  for (auto it = order.begin(); it != order.end(); ++it)
    if (best == order.end() || cost(*it) <= cost(*best))
      best = it;
  if (best != order.end())
    std::rotate(best, best + 1, order.end());
  return order;
}
