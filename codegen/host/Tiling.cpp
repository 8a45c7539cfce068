//===- Tiling.cpp - How a kernel is cut into tiles for the host -----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Tiling.h"
#include "codegen/tile/SplitByTraffic.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::codegen;
using namespace mkc::host;

static void printSizes(llvm::raw_ostream &out, ArrayRef<int64_t> sizes) {
  if (sizes.empty())
    out << "1";
  llvm::interleave(sizes, out, "x");
}

std::string Tiling::describe() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "tasks of ";
  printSizes(out, tile);
  out << " of ";
  printSizes(out, classes.extents);
  out << " points, " << tileCount() << " in all";
  if (tileCount() == 1)
    out << (classes.tiles() == 1 ? ": no loop is common to all ops"
                                 : ": more would not pay for a hand-off");
  for (const std::optional<ContractPlan> &chosen : plans) {
    if (!chosen)
      continue;
    const ContractPlan &plan = *chosen;
    out << "; register tile of " << plan.pixels << "x" << plan.vectors
        << " vectors, lanes along loop " << plan.lane;
    if (plan.pixel)
      out << ", points along loop " << *plan.pixel;
    else
      out << ", one point: every value of w is used once";
  }
  if (inRegisters)
    out << "; the elementwise op runs in the registers of the contraction";
  return text;
}

/// Work of about 50 microseconds: far above the cost of a hand-off, small
/// enough to balance threads.
static constexpr int64_t kWorkPerTask = 1 << 21;
static constexpr int64_t kMaxTasks = 64;
/// Bytes of intermediates that a step may keep in cache.
static constexpr int64_t kStepElements = 1 << 13;

static bool isCheap(linalg::GenericOp generic) {
  return llvm::all_of(generic.getBody()->without_terminator(),
                      [](Operation &op) {
                        return !isa<linalg::IndexOp>(op) &&
                               (!isa<math::MathDialect>(op.getDialect()) ||
                                isa<math::AbsFOp>(op));
                      });
}

/// True if `ops` are a contraction and one cheap elementwise op on all of its
/// result, which nobody else needs.
static bool canRunInRegisters(ArrayRef<nn::Structured> ops) {
  if (ops.size() != 2 || !isa<nn::ContractOp>(ops[0].op) ||
      !llvm::is_contained(ops[0].parallel, true) ||
      !ops[0].results[0].hasOneUse())
    return false;
  auto generic = dyn_cast<linalg::GenericOp>(ops[1].op);
  if (!generic || ops[1].hasReduction() || !isCheap(generic))
    return false;
  unsigned uses = 0;
  for (auto [value, map] : llvm::zip(ops[1].inputs, ops[1].inputMaps)) {
    if (value != ops[0].results[0])
      continue;
    ++uses;
    llvm::SmallDenseSet<unsigned> dims;
    for (AffineExpr expr : map.exprs)
      if (std::optional<unsigned> d = nn::asDim(expr))
        dims.insert(*d);
    if (dims.size() != ops[1].rank() || map.exprs.size() != ops[1].rank())
      return false;
  }
  return uses == 1;
}

namespace {
class TilingChooser {
public:
  TilingChooser(HostMachine machine, mk::KernelOp kernel,
                const OperandStrides &strides, Tiling &tiling)
      : machine(machine), kernel(kernel), strides(strides), t(tiling),
        granule(tiling.classes.extents.size(), 1),
        step(tiling.classes.extents.size(), 1) {}

  void run() {
    for (const nn::Structured &op : t.ops)
      t.flops += op.points() * workPerPoint(op);
    t.inRegisters = canRunInRegisters(t.ops);
    chooseSteps();
    splitIntoTasks();
  }

private:
  /// The class of the loop that walks the last op's first result contiguously.
  std::optional<unsigned> contiguousClass() const {
    const nn::Structured &last = t.ops.back();
    ArrayRef<AffineExpr> exprs = last.resultMaps[0].exprs;
    if (exprs.empty())
      return std::nullopt;
    std::optional<unsigned> loop = nn::asDim(exprs.back());
    int number = loop ? t.classes.classOf.back()[*loop] : -1;
    return number < 0 ? std::nullopt : std::optional<unsigned>(number);
  }

  void chooseSteps() {
    unsigned count = granule.size();
    t.plans.resize(t.ops.size());
    bool single = t.ops.size() == 1 || t.inRegisters;
    if (std::optional<unsigned> c = contiguousClass()) {
      granule[*c] =
          std::min<int64_t>(4 * machine.lanes(), t.classes.extents[*c]);
      step[*c] = std::min<int64_t>(kStepElements / 16, t.classes.extents[*c]);
    }
    for (auto [n, op] : llvm::enumerate(t.ops))
      if (isa<nn::ContractOp>(op.op) && llvm::is_contained(op.parallel, true))
        alignToRegisterTile(n, op);
    if (single)
      for (unsigned c = 0; c < count; ++c)
        step[c] = std::max<int64_t>(t.classes.extents[c], 1);
    for (unsigned c = 0; c < count; ++c) {
      granule[c] = std::max<int64_t>(granule[c], 1);
      step[c] = std::max<int64_t>(step[c], 1);
    }
  }

  void alignToRegisterTile(unsigned n, const nn::Structured &op) {
    auto contract = cast<nn::ContractOp>(op.op);
    t.plans[n] = planContract(machine, contract, op,
                              {stridesOf(kernel, op.inputs[0], strides),
                               stridesOf(kernel, op.inputs[1], strides),
                               stridesOf(kernel, op.results[0], strides)});
    const ContractPlan &plan = *t.plans[n];
    if (int c = t.classes.classOf[n][plan.lane]; c >= 0) {
      granule[c] = plan.lanesPerTile();
      step[c] = std::max(step[c], t.classes.extents[c]);
    }
    if (!plan.pixel)
      return;
    if (int c = t.classes.classOf[n][*plan.pixel]; c >= 0) {
      granule[c] = plan.pixelIsWindowed ? t.classes.extents[c] : plan.pixels;
      step[c] = granule[c];
    }
  }

  void splitIntoTasks() {
    int64_t wanted = std::clamp<int64_t>(t.flops / kWorkPerTask, 1, kMaxTasks);
    splitByTraffic(t, granule, wanted);
    for (unsigned c = 0; c < granule.size(); ++c)
      t.step.push_back(std::min(step[c], t.tile[c]));
  }

  HostMachine machine;
  mk::KernelOp kernel;
  const OperandStrides &strides;
  Tiling &t;
  SmallVector<int64_t> granule, step;
};
} // namespace

FailureOr<Tiling> mkc::host::chooseTiling(HostMachine machine,
                                          mk::KernelOp kernel,
                                          const OperandStrides &strides) {
  Tiling tiling;
  if (failed(findOps(kernel, tiling)))
    return failure();
  for (const nn::Structured &op : tiling.ops)
    if (isa<nn::ContractOp>(op.op) && llvm::is_contained(op.parallel, true) &&
        !hasLaneLoop(op))
      return op.op->emitOpError(
          "has no parallel loop outside its windows: give it a loop of one "
          "channel");
  TilingChooser(machine, kernel, strides, tiling).run();
  return tiling;
}
