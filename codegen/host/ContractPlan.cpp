//===- ContractPlan.cpp - Register tile of a contraction ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/ContractPlan.h"
#include "codegen/host/KernelBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::host;

std::optional<int64_t> mkc::host::packedBlock(nn::ContractOp op, unsigned d) {
  for (AffineExpr expr : op.getWMap().getResults()) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (binary && expr.getKind() == AffineExprKind::FloorDiv &&
        nn::asDim(binary.getLHS()) == d)
      return cast<AffineConstantExpr>(binary.getRHS()).getValue();
  }
  return std::nullopt;
}

/// Linear stride of a loop in an operand, packed dims left out.
static int64_t strideOf(const nn::IndexMap &map, ArrayRef<int64_t> strides,
                        unsigned loop) {
  int64_t total = 0;
  for (auto [expr, stride] : llvm::zip(map.exprs, strides))
    total += nn::coefficientOf(expr, loop) * stride;
  return total;
}

/// True if an index of x holds `loop` together with another loop or an offset.
static bool sharesIndex(const nn::Structured &nest, unsigned loop) {
  for (AffineExpr expr : nest.inputMaps[0].exprs) {
    if (nn::coefficientOf(expr, loop) == 0)
      continue;
    if (nn::constantOf(expr) != 0)
      return true;
    for (unsigned d = 0; d < nest.rank(); ++d)
      if (d != loop && nn::coefficientOf(expr, d) != 0)
        return true;
  }
  return false;
}

bool mkc::host::hasLaneLoop(const nn::Structured &nest) {
  for (unsigned d = 0; d < nest.rank(); ++d)
    if (nest.parallel[d] && !sharesIndex(nest, d))
      return true;
  return false;
}

static unsigned chooseLane(int64_t lanes, nn::ContractOp op,
                           const nn::Structured &nest,
                           ArrayRef<SmallVector<int64_t>> strides) {
  std::optional<unsigned> best;
  double bestCost = 0;
  for (unsigned d = nest.rank(); d-- > 0;) {
    if (!nest.parallel[d])
      continue;
    if (packedBlock(op, d))
      return d;
    if (sharesIndex(nest, d))
      continue;
    double cost = 1;
    for (auto [i, map] : llvm::enumerate(nest.inputMaps)) {
      int64_t stride = strideOf(map, strides[i], d);
      cost += stride == 0 ? 0.4 : stride == 1 ? 1 : 10;
    }
    cost += strideOf(nest.resultMaps[0], strides[2], d) == 1 ? 0.3 : 3;
    int64_t extent = std::max<int64_t>(nest.extents[d], 1);
    cost *= double(llvm::alignTo(extent, lanes)) / extent;
    if (!best || cost < bestCost) {
      best = d;
      bestCost = cost;
    }
  }
  return *best;
}

static std::optional<unsigned>
choosePixel(const nn::Structured &nest, ArrayRef<SmallVector<int64_t>> strides,
            unsigned lane) {
  std::optional<unsigned> best;
  int64_t bestScore = 1;
  for (unsigned d = nest.rank(); d-- > 0;) {
    if (!nest.parallel[d] || d == lane)
      continue;
    bool inW = strideOf(nest.inputMaps[1], strides[1], d) != 0;
    int64_t score = std::min<int64_t>(nest.extents[d], 8);
    if (!inW && score > bestScore) {
      best = d;
      bestScore = score;
    }
  }
  return best;
}

/// A divisor of the extent if there is one that fills at least half the tile.
static int64_t tileOf(int64_t extent, int64_t limit) {
  if (extent <= limit)
    return extent;
  for (int64_t tile = limit; tile * 2 >= limit && tile > 1; --tile)
    if (extent % tile == 0)
      return tile;
  return limit;
}

ContractPlan mkc::host::planContract(HostMachine machine, nn::ContractOp op,
                                     const nn::Structured &nest,
                                     ArrayRef<SmallVector<int64_t>> strides) {
  ContractPlan plan;
  plan.lanesPerVector = machine.lanes();
  plan.lane = chooseLane(machine.lanes(), op, nest, strides);
  plan.pixel = choosePixel(nest, strides, plan.lane);
  for (unsigned d = 0; d < nest.rank(); ++d) {
    if (nest.parallel[d]) {
      if (d != plan.lane && plan.pixel != d)
        plan.outer.push_back(d);
    } else {
      (sharesIndex(nest, d) ? plan.windows : plan.inner).push_back(d);
    }
  }
  int64_t laneVectors = llvm::divideCeil(
      std::max<int64_t>(nest.extents[plan.lane], 1), machine.lanes());
  bool xVaries = strideOf(nest.inputMaps[0], strides[0], plan.lane) != 0;
  std::optional<int64_t> block = packedBlock(op, plan.lane);
  if (block)
    laneVectors = *block / machine.lanes();
  int64_t most = !plan.pixel ? 8 : xVaries ? 1 : 2;
  plan.vectors = std::min(laneVectors, most);
  while (block && laneVectors % plan.vectors != 0)
    --plan.vectors;
  if (plan.pixel) {
    plan.pixels =
        tileOf(nest.extents[*plan.pixel],
               std::max<int64_t>(machine.accumulators() / plan.vectors, 1));
    plan.pixelIsWindowed = sharesIndex(nest, *plan.pixel);
  }
  return plan;
}
