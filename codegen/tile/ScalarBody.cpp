//===- ScalarBody.cpp - The scalar computation of a generic ---------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/ScalarBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::codegen;

FailureOr<ReductionBody>
mkc::codegen::matchReductionBody(linalg::GenericOp op) {
  Block *body = op.getBody();
  Value accumulator = body->getArguments().back();
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  if (op.getNumResults() != 1 || !combiner || combiner->getNumOperands() != 2 ||
      !accumulator.hasOneUse() || *accumulator.user_begin() != combiner)
    return op.emitOpError("is no reduction with one accumulator");
  std::optional<TypedAttr> identity = arith::getNeutralElement(combiner);
  auto fill = op.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
  auto init = fill ? fill.value().getDefiningOp<arith::ConstantOp>() : nullptr;
  if (!identity || !init)
    return op.emitOpError("reduces by '")
           << combiner->getName()
           << "', which has no identity, or from no start";
  Value element = combiner->getOperand(0) == accumulator
                      ? combiner->getOperand(1)
                      : combiner->getOperand(0);
  return ReductionBody{combiner, element, init.getValue(), *identity};
}

SmallVector<Value>
mkc::codegen::evaluateScalarBody(LoopBuilder &lb, linalg::GenericOp op,
                                 ValueRange arguments,
                                 function_ref<Index(unsigned)> indexOf) {
  IRMapping map;
  Block *body = op.getBody();
  for (auto [argument, value] : llvm::zip(body->getArguments(), arguments))
    map.map(argument, value);
  auto mapCaptured = [&](Value operand) {
    if (map.contains(operand))
      return;
    if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
      map.map(operand, lb.b.clone(*constant)->getResult(0));
  };
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(index.getResult(), lb.materialize(indexOf(index.getDim())));
      continue;
    }
    for (Value operand : inner.getOperands())
      mapCaptured(operand);
    lb.b.clone(inner, map);
  }
  SmallVector<Value> yielded;
  for (Value value : body->getTerminator()->getOperands()) {
    mapCaptured(value);
    yielded.push_back(map.lookup(value));
  }
  return yielded;
}
