//===- KernelBuilder.cpp - Vectors of a tile body ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/KernelBuilder.h"

#include "dialects/nn/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::host;

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
  return VectorType::get(
      {lanes}, nn::isHalf(element) ? codegen::storageType(element) : element);
}

Value KernelBuilder::broadcast(Value scalar) {
  return vector::BroadcastOp::create(b, loc, vectorOf(scalar.getType()),
                                     scalar);
}

Value KernelBuilder::splat(TypedAttr value) {
  VectorType type = vectorOf(value.getType());
  if (nn::isHalf(value.getType()))
    value =
        b.getIntegerAttr(type.getElementType(),
                         cast<FloatAttr>(value).getValue().bitcastToAPInt());
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>(value)));
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
  VectorType type = vectorOf(codegen::storageType(memory.elementType));
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
  return fromStorage(loaded, memory.elementType);
}

/// True for the constant mask of one lane. LLVM 22 stores too many bytes under
/// such a mask if it joins the store with a truncation of the elements.
static bool isFirstLane(Value mask) {
  auto create = mask.getDefiningOp<vector::CreateMaskOp>();
  return create && matchPattern(create.getOperands()[0], m_One());
}

void KernelBuilder::storeVector(Value value, const Memory &memory, Index offset,
                                int64_t stride, Value mask) {
  Value stored = toStorage(value, memory.elementType);
  Value at = materialize(offset);
  if (mask && isFirstLane(mask)) {
    Value first = vector::ExtractOp::create(b, loc, stored, int64_t(0));
    memref::StoreOp::create(b, loc, first, memory.memref, ValueRange{at});
    return;
  }
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
