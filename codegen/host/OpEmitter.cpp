//===- OpEmitter.cpp - What the emitters of single ops share --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/OpEmitter.h"
#include "dialects/nn/ElementTypes.h"
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::host;

LogicalResult mkc::host::emitOp(KernelBuilder &kb, const TileOp &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op.nest.op)
      .Case<linalg::GenericOp, linalg::FillOp>(
          [&](auto) { return emitGeneric(kb, op); })
      .Case([&](nn::ContractOp) { return emitContract(kb, op); })
      .Case([&](nn::PoolOp) { return emitPool(kb, op); })
      .Case([&](nn::ArgPoolOp) { return emitArgPool(kb, op); })
      .Case([&](nn::GatherOp) { return emitGather(kb, op); })
      .Case([&](nn::ArgReduceOp) { return emitArgReduce(kb, op); })
      .Default([](Operation *other) {
        return other->emitOpError("has no host code generator");
      });
}

static bool isFixed(const LinearAccess &access) {
  return llvm::all_of(access.strides,
                      [](int64_t stride) { return stride == 0; });
}

Value mkc::host::loadIfFixed(KernelBuilder &kb, const LinearAccess &access) {
  if (!isFixed(access))
    return Value();
  return kb.loadVector(access.memory, access.base, /*stride=*/0, Value());
}

/// The f32 that an integer becomes before it is rounded to f16 or bf16.
static Value convertToF32(KernelBuilder &kb, Operation &conversion,
                          Value integer) {
  Type type = kb.vectorOf(kb.b.getF32Type());
  if (isa<arith::SIToFPOp>(conversion))
    return arith::SIToFPOp::create(kb.b, kb.loc, type, integer);
  return arith::UIToFPOp::create(kb.b, kb.loc, type, integer);
}

/// A scalar body op on vectors: the same op with vector operands and results.
static Value vectorize(KernelBuilder &kb, Operation &op, IRMapping &map) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return kb.splat(constant.getValue());
  if (isa<arith::ExtFOp>(op) && nn::isHalf(op.getOperand(0).getType()))
    return kb.extend(map.lookup(op.getOperand(0)), op.getOperand(0).getType());
  Type element = op.getResult(0).getType();
  if (isa<arith::TruncFOp>(op) && nn::isHalf(element))
    return kb.round(map.lookup(op.getOperand(0)), element);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && nn::isHalf(element))
    return kb.round(convertToF32(kb, op, map.lookup(op.getOperand(0))),
                    element);
  OperationState state(kb.loc, op.getName());
  for (Value operand : op.getOperands())
    state.operands.push_back(map.lookup(operand));
  for (Type type : op.getResultTypes())
    state.types.push_back(kb.vectorOf(type));
  state.attributes.append(op.getDiscardableAttrs().begin(),
                          op.getDiscardableAttrs().end());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  Operation *created = kb.b.create(state);
  return created->getResult(0);
}

SmallVector<Value> mkc::host::evaluateBody(KernelBuilder &kb,
                                           linalg::GenericOp op,
                                           ValueRange arguments,
                                           ArrayRef<Index> point,
                                           std::optional<unsigned> laneLoop) {
  IRMapping map;
  Block *body = op.getBody();
  for (auto [argument, value] : llvm::zip(body->getArguments(), arguments))
    map.map(argument, value);
  auto mapCaptured = [&](Value operand) {
    if (map.contains(operand))
      return;
    if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
      map.map(operand, vectorize(kb, *constant, map));
  };
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      unsigned d = index.getDim();
      map.map(index.getResult(), laneLoop == d
                                     ? kb.lanesFrom(point[d])
                                     : kb.broadcast(kb.materialize(point[d])));
      continue;
    }
    for (Value operand : inner.getOperands())
      mapCaptured(operand);
    map.map(inner.getResult(0), vectorize(kb, inner, map));
  }
  SmallVector<Value> yielded;
  for (Value value : body->getTerminator()->getOperands()) {
    mapCaptured(value);
    yielded.push_back(map.lookupOrNull(value));
  }
  return yielded;
}

unsigned mkc::host::chooseLaneLoop(int64_t lanes, ArrayRef<LinearAccess> inputs,
                                   ArrayRef<LinearAccess> results,
                                   ArrayRef<int64_t> sizes,
                                   ArrayRef<unsigned> candidates) {
  // Relative costs of a vector access; a gather or scatter is one access a
  // lane.
  constexpr double kContiguous = 1, kBroadcast = 0.4, kStrided = 10;
  auto cost = [&](const LinearAccess &access, unsigned loop) {
    if (isFixed(access))
      return 0.0;
    int64_t stride = access.strides[loop];
    return stride == 0 ? kBroadcast : stride == 1 ? kContiguous : kStrided;
  };
  unsigned best = candidates.back();
  double bestCost = std::numeric_limits<double>::max();
  for (unsigned loop : llvm::reverse(candidates)) {
    double total = 1;
    for (const LinearAccess &access : inputs)
      total += cost(access, loop);
    for (const LinearAccess &access : results)
      total += cost(access, loop);
    int64_t vectors =
        llvm::divideCeil(std::max<int64_t>(sizes[loop], 1), lanes);
    total *= double(vectors * lanes) / std::max<int64_t>(sizes[loop], 1);
    if (total < bestCost) {
      bestCost = total;
      best = loop;
    }
  }
  return best;
}
