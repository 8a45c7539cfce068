//===- LoopBuilder.cpp - Loops and indices of a tile body -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/LoopBuilder.h"
#include "dialects/nn/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::codegen;

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value LoopBuilder::materialize(Index i) {
  if (i.value)
    return i.value;
  return arith::ConstantIndexOp::create(b, loc, i.constant);
}

/// Offsets stay below 2^63, which lets LLVM fold them into addressing modes.
static constexpr auto kNoWrap = arith::IntegerOverflowFlags::nsw;

Index LoopBuilder::add(Index a, Index c) {
  if (a.isConstant() && c.isConstant())
    return a.constant + c.constant;
  if (a.is(0))
    return c;
  if (c.is(0))
    return a;
  return Index(
      arith::AddIOp::create(b, loc, materialize(a), materialize(c), kNoWrap)
          .getResult());
}

Index LoopBuilder::sub(Index a, Index c) {
  if (a.isConstant() && c.isConstant())
    return a.constant - c.constant;
  if (c.isConstant())
    return add(a, -c.constant);
  return Index(
      arith::SubIOp::create(b, loc, materialize(a), materialize(c), kNoWrap)
          .getResult());
}

Index LoopBuilder::mul(Index a, int64_t factor) {
  if (a.isConstant())
    return a.constant * factor;
  if (factor == 0)
    return 0;
  if (factor == 1)
    return a;
  return Index(
      arith::MulIOp::create(b, loc, a.value, materialize(factor), kNoWrap)
          .getResult());
}

Index LoopBuilder::floorDiv(Index a, int64_t divisor) {
  if (a.isConstant())
    return llvm::divideFloorSigned(a.constant, divisor);
  if (divisor == 1)
    return a;
  return Index(
      arith::FloorDivSIOp::create(b, loc, a.value, materialize(divisor))
          .getResult());
}

Index LoopBuilder::mod(Index a, int64_t divisor) {
  if (a.isConstant())
    return llvm::mod(a.constant, divisor);
  if (divisor == 1)
    return 0;
  return Index(arith::RemSIOp::create(b, loc, a.value, materialize(divisor))
                   .getResult());
}

Index LoopBuilder::min(Index a, Index c) {
  if (a.isConstant() && c.isConstant())
    return std::min(a.constant, c.constant);
  return Index(arith::MinSIOp::create(b, loc, materialize(a), materialize(c))
                   .getResult());
}

Index LoopBuilder::max(Index a, Index c) {
  if (a.isConstant() && c.isConstant())
    return std::max(a.constant, c.constant);
  return Index(arith::MaxSIOp::create(b, loc, materialize(a), materialize(c))
                   .getResult());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void LoopBuilder::loop(Index begin, Index end, int64_t step, Body body) {
  loop(begin, end, step, {}, [&](Index i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

SmallVector<Value> LoopBuilder::loop(Index begin, Index end, int64_t step,
                                     ValueRange carried, CarryBody body) {
  if (begin.isConstant() && end.isConstant()) {
    if (begin.constant >= end.constant)
      return llvm::to_vector(carried);
    if (begin.constant + step >= end.constant)
      return body(begin, carried);
  }
  auto loopOp = scf::ForOp::create(
      b, loc, materialize(begin), materialize(end), materialize(step), carried,
      [&](OpBuilder &, Location, Value iv, ValueRange args) {
        // The callback's builder is ours: bodies insert through `b`.
        SmallVector<Value> next = body(Index(iv), args);
        scf::YieldOp::create(b, loc, next);
      });
  return SmallVector<Value>(loopOp.getResults());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Type mkc::codegen::storageType(Type element) {
  if (nn::isHalf(element))
    return IntegerType::get(element.getContext(), 16);
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

Value LoopBuilder::fromStorage(Value value, Type element) {
  if (!element.isInteger(1))
    return value;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

Value LoopBuilder::toStorage(Value value, Type element) {
  if (!element.isInteger(1))
    return value;
  Type type = b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  return arith::ExtUIOp::create(b, loc, type, value);
}

Value LoopBuilder::loadScalar(const Memory &memory, Index offset) {
  Value loaded = memref::LoadOp::create(b, loc, memory.memref,
                                        ValueRange{materialize(offset)});
  return fromStorage(loaded, memory.elementType);
}

void LoopBuilder::storeScalar(Value value, const Memory &memory, Index offset) {
  memref::StoreOp::create(b, loc, toStorage(value, memory.elementType),
                          memory.memref, ValueRange{materialize(offset)});
}

LinearAccess LoopBuilder::linearize(const Memory &memory,
                                    const nn::IndexMap &map, unsigned rank) {
  LinearAccess access{memory, 0, SmallVector<int64_t>(rank, 0)};
  for (auto [j, expr] : llvm::enumerate(map.exprs)) {
    if (!memory.origin.empty())
      access.base = sub(access.base, mul(memory.origin[j], memory.strides[j]));
    if (!expr)
      continue;
    access.base = add(access.base, nn::constantOf(expr) * memory.strides[j]);
    for (unsigned d = 0; d < rank; ++d)
      access.strides[d] += nn::coefficientOf(expr, d) * memory.strides[j];
  }
  return access;
}

Index LoopBuilder::offsetAt(const LinearAccess &access, ArrayRef<Index> point) {
  Index offset = access.base;
  for (auto [index, stride] : llvm::zip(point, access.strides))
    offset = add(offset, mul(index, stride));
  return offset;
}

void mkc::codegen::forEachPoint(LoopBuilder &lb, ArrayRef<LoopRange> ranges,
                                ArrayRef<unsigned> loops,
                                SmallVectorImpl<Index> &point,
                                function_ref<void()> body) {
  if (loops.empty())
    return body();
  const LoopRange &range = ranges[loops.front()];
  lb.loop(range.begin, lb.add(range.begin, range.size), 1, [&](Index i) {
    point[loops.front()] = i;
    forEachPoint(lb, ranges, loops.drop_front(), point, body);
  });
}

LoopRange mkc::codegen::clipWindow(LoopBuilder &lb, const nn::IndexMap &map,
                                   ArrayRef<int64_t> shape, unsigned loop,
                                   LoopRange range, ArrayRef<Index> point) {
  Index begin = range.begin;
  Index end = lb.add(range.begin, range.size);
  for (auto [expr, size] : llvm::zip(map.exprs, shape)) {
    int64_t factor = nn::coefficientOf(expr, loop);
    if (factor == 0)
      continue;
    Index base = nn::constantOf(expr);
    for (unsigned d = 0; d < point.size(); ++d)
      if (d != loop)
        base = lb.add(base, lb.mul(point[d], nn::coefficientOf(expr, d)));
    // 0 <= base + factor * i < size
    Index first = lb.floorDiv(lb.sub(factor - 1, base), factor);
    Index last = lb.floorDiv(lb.sub(size - 1, base), factor);
    begin = lb.max(begin, first);
    end = lb.min(end, lb.add(last, 1));
  }
  return {begin, lb.sub(end, begin)};
}
