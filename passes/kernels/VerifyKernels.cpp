//===- VerifyKernels.cpp - Check kernels and dispatches -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/VerifyKernels.h"

#include "passes/kernels/Passes.h"

#include "dialects/nn/Level2.h"
#include "dialects/nn/Structured.h"

namespace mkc {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "passes/kernels/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

static LogicalResult verifyTypes(Operation *op, ArrayRef<Type> types) {
  for (Type type : types)
    if (!nn::isLevel2Type(type))
      return op->emitOpError("takes or gives ")
             << type << ", which is no static tensor of f32, i32, i64 or i1";
  return success();
}

LogicalResult mkc::verifyKernel(mk::KernelOp kernel) {
  if (failed(verifyTypes(kernel, kernel.getArgumentTypes())) ||
      failed(verifyTypes(kernel, kernel.getResultTypes())))
    return failure();
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

namespace {
struct VerifyKernels : mkc::impl::VerifyKernelsPassBase<VerifyKernels> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (Operation &op : *getOperation().getBody())
      if (failed(verify(&op)))
        return signalPassFailure();
    if (!getOperation().lookupSymbol<func::FuncOp>("main")) {
      getOperation().emitError("has no function @main");
      return signalPassFailure();
    }
  }

  static LogicalResult verify(Operation *op) {
    if (auto kernel = dyn_cast<mk::KernelOp>(op))
      return verifyKernel(kernel);
    auto main = dyn_cast<func::FuncOp>(op);
    if (!main || main.getSymName() != "main")
      return op->emitOpError("is neither a kernel nor @main");
    return verifyMain(main);
  }

  static LogicalResult verifyMain(func::FuncOp main) {
    if (!main.getBody().hasOneBlock())
      return main.emitOpError("has ")
             << main.getBody().getBlocks().size() << " blocks, expected 1";
    if (failed(verifyTypes(main, main.getArgumentTypes())))
      return failure();
    for (Operation &op : main.getBody().front()) {
      if (!isa<mk::DispatchOp, mk::WeightOp, arith::ConstantOp,
               tensor::ExpandShapeOp, tensor::CollapseShapeOp,
               tensor::ExtractSliceOp, tensor::ConcatOp, func::ReturnOp>(op))
        return op.emitOpError(
            "is no dispatch, view, concatenation or constant");
      // A dispatch has the types of its kernel.
      if (!isa<mk::DispatchOp>(op) && failed(nn::verifyLevel2(&op)))
        return failure();
    }
    return success();
  }
};
} // namespace
