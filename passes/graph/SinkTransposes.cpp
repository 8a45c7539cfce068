#include "passes/graph/Passes.h"
#include "dialects/nn/Nn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
namespace mkc {
#define GEN_PASS_DEF_SINKTRANSPOSESPASS
#include "passes/graph/Passes.h.inc"
} // namespace mkc
namespace { struct P : mkc::impl::SinkTransposesPassBase<P> { void runOnOperation() override {} }; }
