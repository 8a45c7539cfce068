//===- ExpandExtrema.cpp - Maximum and minimum of floats ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CPU's maximum is `a > b ? a : b`, where a NaN among the two gives b. That
// propagates a NaN in b and drops one in a, so a is tested in addition. Which
// operand is a doesn't matter: a number or a value from outside the loop is
// taken, for which the test is none, or stands outside the loop.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/ExpandExtrema.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace {

bool isNumber(Value value) {
  APFloat scalar(0.0f);
  return matchPattern(value, m_ConstantFloat(&scalar)) && !scalar.isNaN();
}

bool isOutsideLoop(Value value, Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return loop && loop.isDefinedOutsideOfLoop(value);
}

struct ExpandExtremaPass
    : PassWrapper<ExpandExtremaPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandExtremaPass)

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      op->replaceAllUsesWith(ValueRange{expand(op)});
      op->erase();
    }
  }

  static Value expand(Operation *op) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value tested = op->getOperand(0), other = op->getOperand(1);
    auto isCheaper = [&](Value a, Value c) {
      if (isNumber(a) != isNumber(c))
        return isNumber(a);
      return isOutsideLoop(a, op) && !isOutsideLoop(c, op);
    };
    if (isCheaper(other, tested))
      std::swap(tested, other);
    // tested > other ? tested : other, in the form that says what a NaN gives.
    auto predicate = isa<arith::MaximumFOp>(op) ? arith::CmpFPredicate::UGE
                                                : arith::CmpFPredicate::ULE;
    Value isExtreme = arith::CmpFOp::create(b, predicate, other, tested);
    Value chosen = arith::SelectOp::create(b, isExtreme, other, tested);
    if (isNumber(tested))
      return chosen;
    Value isNan =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, tested, tested);
    return arith::SelectOp::create(b, isNan, tested, chosen);
  }
};

} // namespace

std::unique_ptr<Pass> mkc::host::createExpandExtremaPass() {
  return std::make_unique<ExpandExtremaPass>();
}
