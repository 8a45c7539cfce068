//===- FuseElementwise.cpp - Elementwise ops into their users -------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/Passes.h"

#include "dialects/nn/Structured.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mkc {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "passes/kernels/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {

bool isCostly(linalg::GenericOp op) {
  return llvm::any_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return isa<arith::DivFOp, arith::DivSIOp, arith::RemFOp, arith::RemSIOp>(
               inner) ||
           (isa<math::MathDialect>(inner.getDialect()) &&
            !isa<math::AbsFOp>(inner));
  });
}

/// Long bodies spill registers, and merging them saves little.
constexpr size_t kMaxBodyOps = 64;
constexpr size_t kMaxInputs = 10;

/// True if no input of the function reaches `value`. Asked of IR that changes,
/// so it is found anew; gives up (false) on large graphs of constants.
bool isWeightOnly(Value value) {
  constexpr size_t kMaxVisited = 256;
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Operation *definer = work.pop_back_val().getDefiningOp();
    if (!definer || seen.size() > kMaxVisited)
      return false;
    if (seen.insert(definer).second)
      llvm::append_range(work, definer->getOperands());
  }
  return true;
}

bool isWorthFusing(OpOperand *fused) {
  auto producer = fused->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(fused->getOwner());
  if (!producer || !consumer || !fused->get().hasOneUse())
    return false;
  if (isWeightOnly(fused->get()) && !isWeightOnly(consumer->getResult(0)))
    return false;
  if (producer.getBody()->getOperations().size() +
              consumer.getBody()->getOperations().size() >
          kMaxBodyOps ||
      producer->getNumOperands() + consumer->getNumOperands() > kMaxInputs + 3)
    return false;
  // The producer's loop indices would become arithmetic on the consumer's.
  if (!producer.getBody()->getOps<linalg::IndexOp>().empty() &&
      !consumer.getMatchingIndexingMap(fused).isProjectedPermutation())
    return false;
  auto producerPoints = nn::getStructured(producer)->points();
  auto consumerPoints = nn::getStructured(consumer)->points();
  return producerPoints >= consumerPoints || !isCostly(producer);
}

/// Upstream's fusion of one operand, with the locations of both ops kept:
/// errors and reports name every node of a kernel.
struct FuseOperand : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp consumer,
                                PatternRewriter &rewriter) const override {
    for (OpOperand &operand : consumer->getOpOperands()) {
      if (!linalg::areElementwiseOpsFusable(&operand) ||
          !isWorthFusing(&operand))
        continue;
      Operation *producer = operand.get().getDefiningOp();
      Location producerLoc = producer->getLoc();
      FailureOr<linalg::ElementwiseOpFusionResult> result =
          linalg::fuseElementwiseOps(rewriter, &operand);
      if (failed(result))
        continue;
      result->fusedOp->setLoc(
          rewriter.getFusedLoc({producerLoc, consumer.getLoc()}));
      for (auto [old, replacement] : result->replacements)
        rewriter.replaceUsesWithIf(old, replacement, [&](OpOperand &use) {
          return use.get().getDefiningOp() != producer;
        });
      rewriter.eraseOp(consumer);
      return success();
    }
    return failure();
  }
};

struct FuseElementwise : mkc::impl::FuseElementwisePassBase<FuseElementwise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseOperand>(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
