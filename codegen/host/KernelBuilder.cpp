//===- KernelBuilder.cpp - Loops, indices and vectors of a tile body ------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::host;

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value KernelBuilder::materialize(Index i) {
  if (i.value)
    return i.value;
  return arith::ConstantIndexOp::create(b, loc, i.constant);
}

/// Offsets stay below 2^63, which lets LLVM fold them into addressing modes.
static constexpr auto kNoWrap = arith::IntegerOverflowFlags::nsw;

Index KernelBuilder::add(Index a, Index c) {
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

Index KernelBuilder::sub(Index a, Index c) {
  if (a.isConstant() && c.isConstant())
    return a.constant - c.constant;
  if (c.isConstant())
    return add(a, -c.constant);
  return Index(
      arith::SubIOp::create(b, loc, materialize(a), materialize(c), kNoWrap)
          .getResult());
}

Index KernelBuilder::mul(Index a, int64_t factor) {
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

Index KernelBuilder::floorDiv(Index a, int64_t divisor) {
  if (a.isConstant())
    return llvm::divideFloorSigned(a.constant, divisor);
  if (divisor == 1)
    return a;
  return Index(
      arith::FloorDivSIOp::create(b, loc, a.value, materialize(divisor))
          .getResult());
}

Index KernelBuilder::mod(Index a, int64_t divisor) {
  if (a.isConstant())
    return llvm::mod(a.constant, divisor);
  if (divisor == 1)
    return 0;
  return Index(arith::RemSIOp::create(b, loc, a.value, materialize(divisor))
                   .getResult());
}

Index KernelBuilder::min(Index a, Index c) {
  if (a.isConstant() && c.isConstant())
    return std::min(a.constant, c.constant);
  return Index(arith::MinSIOp::create(b, loc, materialize(a), materialize(c))
                   .getResult());
}

Index KernelBuilder::max(Index a, Index c) {
  if (a.isConstant() && c.isConstant())
    return std::max(a.constant, c.constant);
  return Index(arith::MaxSIOp::create(b, loc, materialize(a), materialize(c))
                   .getResult());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void KernelBuilder::loop(Index begin, Index end, int64_t step, Body body) {
  loop(begin, end, step, {}, [&](Index i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

SmallVector<Value> KernelBuilder::loop(Index begin, Index end, int64_t step,
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

void mkc::host::forEachVector(KernelBuilder &kb, LoopRange range,
                              function_ref<void(Index, Value)> body) {
  Index end = kb.add(range.begin, range.size);
  Index rest = kb.mod(range.size, kb.lanes);
  Index fullEnd = kb.sub(end, rest);
  kb.loop(range.begin, fullEnd, kb.lanes, [&](Index i) { body(i, Value()); });
  if (rest.is(0))
    return;
  if (rest.isConstant()) {
    body(fullEnd, kb.laneMask(rest));
    return;
  }
  Value some = arith::CmpIOp::create(kb.b, kb.loc, arith::CmpIPredicate::sgt,
                                     kb.materialize(rest), kb.materialize(0));
  auto guard = scf::IfOp::create(kb.b, kb.loc, some);
  OpBuilder::InsertionGuard restore(kb.b);
  kb.b.setInsertionPointToStart(&guard.getThenRegion().front());
  body(fullEnd, kb.laneMask(rest));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

VectorType KernelBuilder::vectorOf(Type element) {
  return VectorType::get({lanes}, element);
}

Value KernelBuilder::broadcast(Value scalar) {
  return vector::BroadcastOp::create(b, loc, vectorOf(scalar.getType()),
                                     scalar);
}

Value KernelBuilder::laneMask(Index active) {
  if (active.is(lanes))
    return Value();
  return vector::CreateMaskOp::create(b, loc, vectorOf(b.getI1Type()),
                                      ValueRange{materialize(active)});
}

Value KernelBuilder::lanesFrom(Index begin) {
  Value steps = vector::StepOp::create(b, loc, vectorOf(b.getIndexType()));
  if (begin.is(0))
    return steps;
  return arith::AddIOp::create(b, loc, broadcast(materialize(begin)), steps);
}

static Type storageType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

/// i8 from memory to i1: any bit set is true.
static Value fromStorage(KernelBuilder &kb, Value value, Type element) {
  if (!element.isInteger(1))
    return value;
  Value zero = arith::ConstantOp::create(kb.b, kb.loc,
                                         kb.b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(kb.b, kb.loc, arith::CmpIPredicate::ne, value,
                               zero);
}

static Value toStorage(KernelBuilder &kb, Value value, Type element) {
  if (!element.isInteger(1))
    return value;
  Type type = kb.b.getI8Type();
  if (isa<VectorType>(value.getType()))
    type = kb.vectorOf(type);
  return arith::ExtUIOp::create(kb.b, kb.loc, type, value);
}

Value KernelBuilder::loadScalar(const Memory &memory, Index offset) {
  Value loaded = memref::LoadOp::create(b, loc, memory.memref,
                                        ValueRange{materialize(offset)});
  return fromStorage(*this, loaded, memory.elementType);
}

void KernelBuilder::storeScalar(Value value, const Memory &memory,
                                Index offset) {
  memref::StoreOp::create(b, loc, toStorage(*this, value, memory.elementType),
                          memory.memref, ValueRange{materialize(offset)});
}

/// Index vector of a strided access: lane * stride.
static Value stridedLanes(KernelBuilder &kb, int64_t stride) {
  Value factor = kb.broadcast(kb.materialize(stride));
  return arith::MulIOp::create(kb.b, kb.loc, kb.lanesFrom(0), factor);
}

static Value allLanes(KernelBuilder &kb) {
  return arith::ConstantOp::create(
      kb.b, kb.loc,
      DenseElementsAttr::get(kb.vectorOf(kb.b.getI1Type()), true));
}

Value KernelBuilder::loadVector(const Memory &memory, Index offset,
                                int64_t stride, Value mask) {
  if (stride == 0)
    return broadcast(loadScalar(memory, offset));
  VectorType type = vectorOf(storageType(memory.elementType));
  ValueRange none;
  Value at = materialize(offset);
  Value loaded;
  if (stride == 1 && !mask) {
    loaded =
        vector::LoadOp::create(b, loc, type, memory.memref, ValueRange{at});
  } else {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    if (stride == 1)
      loaded = vector::MaskedLoadOp::create(b, loc, type, memory.memref,
                                            ValueRange{at}, mask, zero);
    else
      loaded = vector::GatherOp::create(
          b, loc, type, memory.memref, ValueRange{at},
          stridedLanes(*this, stride), mask ? mask : allLanes(*this), zero);
  }
  return fromStorage(*this, loaded, memory.elementType);
}

void KernelBuilder::storeVector(Value value, const Memory &memory, Index offset,
                                int64_t stride, Value mask) {
  Value stored = toStorage(*this, value, memory.elementType);
  Value at = materialize(offset);
  if (stride == 1 && !mask)
    vector::StoreOp::create(b, loc, stored, memory.memref, ValueRange{at});
  else if (stride == 1)
    vector::MaskedStoreOp::create(b, loc, memory.memref, ValueRange{at}, mask,
                                  stored);
  else
    vector::ScatterOp::create(b, loc, Type(), memory.memref, ValueRange{at},
                              stridedLanes(*this, stride),
                              mask ? mask : allLanes(*this), stored);
}

LinearAccess KernelBuilder::linearize(const Memory &memory,
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

Index KernelBuilder::offsetAt(const LinearAccess &access,
                              ArrayRef<Index> point) {
  Index offset = access.base;
  for (auto [index, stride] : llvm::zip(point, access.strides))
    offset = add(offset, mul(index, stride));
  return offset;
}
