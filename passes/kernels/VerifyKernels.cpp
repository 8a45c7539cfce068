//===- VerifyKernels.cpp - Check kernels and dispatches -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/Passes.h"

#include "dialects/nn/Level2.h"
#include "dialects/nn/Structured.h"

namespace mkc {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "passes/kernels/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {
struct VerifyKernels : mkc::impl::VerifyKernelsPassBase<VerifyKernels> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (Operation &op : *getOperation().getBody())
      if (failed(verify(&op)))
        return signalPassFailure();
  }

  static LogicalResult verify(Operation *op) {
    if (auto kernel = dyn_cast<mk::KernelOp>(op))
      return verifyKernel(kernel);
    auto main = dyn_cast<func::FuncOp>(op);
    if (!main || main.getSymName() != "main")
      return op->emitOpError("is neither a kernel nor @main");
    return verifyMain(main);
  }

  static LogicalResult verifyKernel(mk::KernelOp kernel) {
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      bool isScalar = isa<arith::ConstantOp>(op) &&
                      !isa<ShapedType>(op.getResult(0).getType());
      if (!nn::getStructured(&op) && !isScalar && !isa<tensor::EmptyOp>(op))
        return op.emitOpError("in kernel @")
               << kernel.getSymName() << " is no structured op";
      if (failed(nn::verifyLevel2(&op)))
        return failure();
    }
    return success();
  }

  static LogicalResult verifyMain(func::FuncOp main) {
    for (Operation &op : main.getBody().front())
      if (!isa<mk::DispatchOp, mk::WeightOp, arith::ConstantOp,
               tensor::ExpandShapeOp, tensor::CollapseShapeOp,
               tensor::ExtractSliceOp, tensor::ConcatOp, func::ReturnOp>(op))
        return op.emitOpError(
            "is no dispatch, view, concatenation or constant");
    return success();
  }
};
} // namespace
