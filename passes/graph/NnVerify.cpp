//===- NnVerify.cpp - Check that a module is at level 2 -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Passes.h"

#include "dialects/nn/Level2.h"

namespace mkc {
#define GEN_PASS_DEF_NNVERIFYPASS
#include "passes/graph/Passes.h.inc"
} // namespace mkc

using namespace mlir;

namespace {
struct NnVerify : mkc::impl::NnVerifyPassBase<NnVerify> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    markAllAnalysesPreserved();
    if (!function.getBody().hasOneBlock()) {
      function.emitError("has ")
          << function.getBody().getBlocks().size() << " blocks, expected 1";
      return signalPassFailure();
    }
    for (Type type : function.getArgumentTypes())
      if (!mkc::nn::isLevel2Type(type)) {
        function.emitError("(L2) has an argument of type ")
            << type
            << ", which is no static tensor of f32, f16, bf16, i32, i64 or i1";
        return signalPassFailure();
      }
    for (Operation &op : function.getBody().front())
      if (failed(mkc::nn::verifyLevel2(&op)))
        return signalPassFailure();
  }
};
} // namespace
