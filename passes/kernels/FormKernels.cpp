//===- FormKernels.cpp - Structured ops into kernels ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy, in program order: an op joins the group of one of its producers, else
// it starts a group of its own. Only elementwise ops and reductions join:
// contractions and gathers start groups, because a prologue would be repeated
// for each tile. Then each group is outlined, and equal kernels are shared.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/KernelLimits.h"
#include "passes/kernels/Passes.h"
#include "passes/kernels/WeightOnly.h"

#include "dialects/nn/LoopClasses.h"
#include "dialects/nn/Nn.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace mkc {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "passes/kernels/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {

/// Elements of intermediates that one step of a tile may keep in scratch.
constexpr int64_t kMaxScratchElements = 1 << 16;
/// Tiles that a kernel with reductions must keep, unless it is tiny anyway.
constexpr int64_t kMinTiles = 16;
constexpr int64_t kTinyPoints = 1 << 14;
constexpr size_t kMaxOps = 24;

struct Group {
  std::vector<nn::Structured> ops;
  bool weightOnly;

  bool hasContraction() const {
    return llvm::any_of(ops, [](const nn::Structured &op) {
      return isa<nn::ContractOp>(op.op);
    });
  }
};

/// Scalars and the start values of reductions are repeated in each kernel.
bool isClonedInto(Operation *op) {
  if (isa_and_nonnull<tensor::EmptyOp>(op))
    return true;
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return !isa<ShapedType>(constant.getType());
  return false;
}

bool startsReduction(Operation *op) {
  return isa<linalg::FillOp>(op) && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           auto generic = dyn_cast<linalg::GenericOp>(user);
           return generic && generic.getDpsInits()[0] == op->getResult(0) &&
                  !llvm::is_contained(generic.getDpsInputs(), op->getResult(0));
         });
}

class Grouping {
public:
  explicit Grouping(func::FuncOp function) : weightOnly(function) {
    for (Operation &op : function.getBody().front()) {
      if (startsReduction(&op))
        continue;
      auto structured = nn::getStructured(&op);
      if (!structured)
        continue;
      place(*structured);
    }
  }

  std::vector<Group> groups;

private:
  void place(const nn::Structured &op) {
    bool isWeightOnly = weightOnly.contains(op.op->getResult(0));
    int joined = -1;
    Operation *refusedBy = nullptr;
    std::string reason;
    if (isa<linalg::GenericOp>(op.op))
      for (Value input : op.inputs) {
        auto found = groupOf.find(input.getDefiningOp());
        if (found == groupOf.end() || int(found->second) <= joined ||
            groups[found->second].weightOnly != isWeightOnly)
          continue;
        std::string whyNot = whyNotJoin(found->second, op);
        if (whyNot.empty()) {
          joined = found->second;
        } else {
          refusedBy = input.getDefiningOp();
          reason = whyNot;
        }
      }
    if (joined < 0) {
      if (refusedBy) {
        InFlightDiagnostic remark =
            op.op->emitRemark("starts a kernel of its own: ");
        remark << reason;
        remark.attachNote(refusedBy->getLoc()) << "instead of joining this one";
      }
      joined = groups.size();
      groups.push_back({{}, isWeightOnly});
    }
    groups[joined].ops.push_back(op);
    groupOf[op.op] = joined;
  }

  /// The reason against it, or an empty string.
  std::string whyNotJoin(unsigned number, const nn::Structured &op) {
    const Group &group = groups[number];
    if (group.ops.size() >= kMaxOps)
      return "the kernel has " + std::to_string(kMaxOps) + " ops already";
    std::vector<nn::Structured> ops = group.ops;
    int64_t tilesBefore = nn::findLoopClasses(ops).tiles();
    ops.push_back(op);
    nn::LoopClasses classes = nn::findLoopClasses(ops);
    if (!keepsTiles(ops, tilesBefore, classes.tiles(), group.hasContraction()))
      return "of " + std::to_string(tilesBefore) + " tiles at most, " +
             std::to_string(classes.tiles()) + " would be left";
    if (int64_t elements = scratchElements(ops, classes);
        elements > kMaxScratchElements)
      return "a tile would keep " + std::to_string(elements) +
             " elements in scratch, more than " +
             std::to_string(kMaxScratchElements);
    if (size_t operands = operandCount(ops); operands > kMaxOperands)
      return "the kernel would have " + std::to_string(operands) +
             " operands, more than " + std::to_string(kMaxOperands);
    if (leavesAndReturns(number, op))
      return "the kernel would wait for itself";
    return {};
  }

  static bool keepsTiles(ArrayRef<nn::Structured> ops, int64_t before,
                         int64_t after, bool hasContraction) {
    if (after == before)
      return true;
    int64_t points = 0;
    for (const nn::Structured &op : ops)
      points += op.points();
    if (points <= kTinyPoints)
      return true;
    return !hasContraction && after >= kMinTiles;
  }

  /// Elements per tile point: loops outside the classes run whole.
  static int64_t scratchElements(ArrayRef<nn::Structured> ops,
                                 const nn::LoopClasses &classes) {
    int64_t total = 0;
    for (auto [n, op] : llvm::enumerate(ops.drop_back())) {
      int64_t elements = 1;
      for (unsigned d = 0; d < op.rank(); ++d)
        if (classes.classOf[n][d] < 0 && op.parallel[d])
          elements *= op.extents[d];
      total += elements;
    }
    return total;
  }

  static size_t operandCount(ArrayRef<nn::Structured> ops) {
    llvm::SmallSetVector<Value, 16> operands;
    llvm::SmallPtrSet<Operation *, 16> members;
    for (const nn::Structured &op : ops)
      members.insert(op.op);
    for (const nn::Structured &op : ops) {
      for (Value input : op.inputs)
        if (!members.contains(input.getDefiningOp()))
          operands.insert(input);
      for (Value result : op.results)
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *u) { return !members.contains(u); }))
          operands.insert(result);
    }
    return operands.size();
  }

  /// True if some operand of `op` depends on the group through an op outside
  /// it: the group would wait for itself.
  bool leavesAndReturns(unsigned number, const nn::Structured &op) {
    llvm::SmallPtrSet<Operation *, 32> seen;
    SmallVector<Operation *> work;
    auto push = [&](Operation *definer) {
      if (definer && seen.insert(definer).second)
        work.push_back(definer);
    };
    for (Value operand : op.op->getOperands()) {
      Operation *definer = operand.getDefiningOp();
      auto found = groupOf.find(definer);
      if (found == groupOf.end() || found->second != number)
        push(definer);
    }
    while (!work.empty()) {
      Operation *current = work.pop_back_val();
      auto found = groupOf.find(current);
      if (found == groupOf.end()) {
        for (Value operand : current->getOperands())
          push(operand.getDefiningOp());
        continue;
      }
      if (found->second == number)
        return true;
      // A group runs as a whole: it needs what any of its ops needs.
      for (const nn::Structured &member : groups[found->second].ops)
        for (Value operand : member.op->getOperands())
          push(operand.getDefiningOp());
    }
    return false;
  }

  WeightOnly weightOnly;
  llvm::DenseMap<Operation *, unsigned> groupOf;
};

//===----------------------------------------------------------------------===//
// Outlining
//===----------------------------------------------------------------------===//

class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module), symbols(module) {}

  void outline(const Group &group) {
    llvm::SmallPtrSet<Operation *, 16> members;
    SmallVector<Operation *> ops;
    for (const nn::Structured &op : group.ops) {
      members.insert(op.op);
      ops.push_back(op.op);
    }
    auto isOutside = [&](OpOperand &use) {
      return !members.contains(use.getOwner()) && !isInit(use);
    };
    llvm::SetVector<Value> inputs, results;
    for (Operation *op : ops) {
      for (OpOperand &operand : op->getOpOperands())
        if (!isInit(operand) && !isInside(operand.get(), members))
          inputs.insert(operand.get());
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUses(), isOutside))
          results.insert(result);
    }
    if (results.empty()) // dead code
      return;
    mk::KernelOp kernel = share(buildKernel(ops, inputs, results));
    OpBuilder builder(ops.back());
    SmallVector<Location> locations =
        llvm::map_to_vector(ops, [](Operation *op) { return op->getLoc(); });
    auto dispatch =
        mk::DispatchOp::create(builder, builder.getFusedLoc(locations),
                               kernel.getFunctionType().getResults(),
                               kernel.getSymName(), inputs.getArrayRef());
    for (auto [result, replacement] : llvm::zip(results, dispatch.getOutputs()))
      Value(result).replaceUsesWithIf(replacement, isOutside);
    // A fill that starts a reduction of another group goes with the last of
    // them.
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
  }

private:
  static bool isInside(Value value,
                       const llvm::SmallPtrSetImpl<Operation *> &members) {
    Operation *definer = value.getDefiningOp();
    return definer && (members.contains(definer) || isClonedInto(definer));
  }

  /// What a generic starts from is repeated in each kernel, whoever else uses
  /// it.
  static bool isInit(OpOperand &operand) {
    auto generic = dyn_cast<linalg::GenericOp>(operand.getOwner());
    return generic && generic.isDpsInit(&operand);
  }

  /// Clones `value`'s definition into the kernel if it belongs there.
  void cloneInto(OpBuilder &builder, Value value, IRMapping &mapping) {
    Operation *definer = value.getDefiningOp();
    if (mapping.contains(value) || !definer)
      return;
    for (Value operand : definer->getOperands())
      cloneInto(builder, operand, mapping);
    builder.clone(*definer, mapping);
  }

  mk::KernelOp buildKernel(ArrayRef<Operation *> ops,
                           const llvm::SetVector<Value> &inputs,
                           const llvm::SetVector<Value> &results) {
    OpBuilder builder(module.getContext());
    builder.setInsertionPointToStart(module.getBody());
    SmallVector<Type> inputTypes, resultTypes;
    for (Value input : inputs)
      inputTypes.push_back(input.getType());
    for (Value result : results)
      resultTypes.push_back(result.getType());
    auto kernel =
        mk::KernelOp::create(builder, builder.getUnknownLoc(), "kernel",
                             builder.getFunctionType(inputTypes, resultTypes));
    Block *body = builder.createBlock(&kernel.getBody());
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
    for (Operation *op : ops) {
      // Starts have values of their own: the same fill may also be an input.
      IRMapping starts;
      for (OpOperand &operand : op->getOpOperands())
        cloneInto(builder, operand.get(), isInit(operand) ? starts : mapping);
      // Constants that a body captures come along.
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (operand.getParentRegion() == op->getParentRegion())
            cloneInto(builder, operand, mapping);
      });
      Operation *clone = builder.clone(*op, mapping);
      for (OpOperand &operand : clone->getOpOperands())
        if (isInit(operand))
          operand.set(
              starts.lookup(op->getOperand(operand.getOperandNumber())));
    }
    SmallVector<Value> yielded;
    for (Value result : results)
      yielded.push_back(mapping.lookup(result));
    mk::YieldOp::create(builder, builder.getUnknownLoc(), yielded);
    return kernel;
  }

  /// The kernel of the same text that exists already, or `kernel` under a new
  /// name.
  mk::KernelOp share(mk::KernelOp kernel) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    kernel->print(stream, OpPrintingFlags().useLocalScope());
    auto [entry, isNew] = known.try_emplace(text, kernel);
    if (!isNew) {
      kernel.erase();
      return entry->second;
    }
    kernel.setSymName("k" + std::to_string(known.size() - 1));
    return kernel;
  }

  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<mk::KernelOp> known;
};

struct FormKernels : mkc::impl::FormKernelsPassBase<FormKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main) {
      module.emitError("has no function @main");
      return signalPassFailure();
    }
    Grouping grouping(main);
    Outliner outliner(module);
    // Users before producers: an op is erased when nothing uses it any more.
    for (const Group &group : grouping.groups)
      outliner.outline(group);
    Block &block = main.getBody().front();
    eraseDead(block);
    sortTopologically(&block);
  }

  void eraseDead(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};

} // namespace
