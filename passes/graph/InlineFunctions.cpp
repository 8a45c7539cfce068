//===- InlineFunctions.cpp - Inlining of model-local functions ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls are inlined from the outside in: the main graph's first, then those
// that its clones of function bodies bring. Only then are all attributes of a
// call known, so that an attribute that is passed on but was never given still
// takes the default of the inner function. Recursion is refused beforehand.
//
//===----------------------------------------------------------------------===//

#include "dialects/onnx/Onnx.h"
#include "passes/graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mkc {
#define GEN_PASS_DEF_ONNXINLINEFUNCTIONSPASS
#include "passes/graph/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;
using namespace mkc::onnx;

namespace {

using FunctionMap = llvm::MapVector<StringAttr, func::FuncOp>;

/// The model-local functions and who calls whom.
class Functions {
public:
  explicit Functions(ModuleOp module);

  bool empty() const { return map.empty(); }
  func::FuncOp callee(NodeOp node) const;
  LogicalResult checkNoRecursion() const;
  void eraseAll();

private:
  FunctionMap map;
};

/// A call's attributes as the function's body sees them.
struct Binding {
  DictionaryAttr given, defaults;
  NodeOp call;

  Attribute lookup(StringRef name) const {
    if (Attribute value = given.get(name))
      return value;
    return defaults ? defaults.get(name) : Attribute();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Functions::Functions(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr("onnx.function"))
      map[function.getSymNameAttr()] = function;
}

func::FuncOp Functions::callee(NodeOp node) const {
  std::string symbol = functionSymbol(node.getDomain(), node.getOpType(),
                                      node.getOverload().value_or(""));
  return map.lookup(StringAttr::get(node.getContext(), symbol));
}

void Functions::eraseAll() {
  for (auto [name, function] : map)
    function.erase();
}

/// Depth-first search with a stack of its own: chains of calls may be long.
LogicalResult Functions::checkNoRecursion() const {
  struct Frame {
    func::FuncOp function;
    SmallVector<NodeOp> calls;
  };
  auto frameOf = [&](func::FuncOp function) {
    Frame frame{function, {}};
    function.walk([&](NodeOp node) {
      if (callee(node))
        frame.calls.push_back(node);
    });
    return frame;
  };
  llvm::DenseSet<Operation *> done, active;
  for (auto [name, root] : map) {
    if (!done.insert(root).second)
      continue;
    std::vector<Frame> stack;
    stack.push_back(frameOf(root));
    active.insert(root);
    while (!stack.empty()) {
      if (stack.back().calls.empty()) {
        active.erase(stack.back().function);
        stack.pop_back();
        continue;
      }
      NodeOp call = stack.back().calls.pop_back_val();
      func::FuncOp next = callee(call);
      if (active.contains(next))
        return emitError(call.getLoc())
               << "function '" << next.getSymName()
               << "' calls itself, directly or through others";
      if (done.insert(next).second) {
        active.insert(next);
        stack.push_back(frameOf(next));
      }
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The regions that the call gives for its graph attribute `name`.
static SmallVector<Region *> graphsOf(NodeOp call, StringRef name) {
  SmallVector<Region *> graphs;
  if (ArrayAttr names = call.getGraphAttributesAttr())
    for (auto [index, given] : llvm::enumerate(names))
      if (cast<StringAttr>(given).getValue() == name)
        graphs.push_back(&call.getGraphs()[index]);
  return graphs;
}

/// Replaces `node` by one with the graphs `added`, named by attribute, behind
/// its own. The number of an operation's regions is fixed at its creation.
static NodeOp
addGraphs(NodeOp node,
          ArrayRef<std::pair<StringRef, SmallVector<Region *>>> added) {
  SmallVector<Attribute> names;
  if (ArrayAttr present = node.getGraphAttributesAttr())
    names.append(present.begin(), present.end());
  unsigned ownGraphs = names.size();
  OpBuilder builder(node);
  for (const auto &[name, graphs] : added)
    names.append(graphs.size(), builder.getStringAttr(name));

  auto replacement = NodeOp::create(
      builder, node.getLoc(), node.getResultTypes(), node.getOpTypeAttr(),
      node.getInputs(), node.getDomainAttr(), node.getOpsetAttr(),
      node.getNodeAttributesAttr(), builder.getArrayAttr(names),
      node.getOutputNamesAttr(), node.getOverloadAttr(), names.size());
  for (unsigned i = 0; i < ownGraphs; ++i)
    replacement.getGraphs()[i].takeBody(node.getGraphs()[i]);
  unsigned next = ownGraphs;
  IRMapping unmapped; // captured values are those of the call's own scope
  for (const auto &[name, graphs] : added)
    for (Region *graph : graphs)
      graph->cloneInto(&replacement.getGraphs()[next++], unmapped);
  node->replaceAllUsesWith(replacement);
  node.erase();
  return replacement;
}

/// Replaces the node's references to function attributes.
static void substitute(NodeOp node, const Binding &binding) {
  NamedAttrList attributes;
  SmallVector<std::pair<StringRef, SmallVector<Region *>>> graphs;
  for (NamedAttribute attribute : node.getNodeAttributes()) {
    auto ref = dyn_cast<RefAttr>(attribute.getValue());
    if (!ref) {
      attributes.push_back(attribute);
      continue;
    }
    SmallVector<Region *> given = graphsOf(binding.call, ref.getName());
    if (!given.empty())
      graphs.emplace_back(attribute.getName(), std::move(given));
    else if (Attribute value = binding.lookup(ref.getName()))
      attributes.append(attribute.getName(), value);
  }
  node.setNodeAttributesAttr(attributes.getDictionary(node.getContext()));
  if (!graphs.empty())
    addGraphs(node, graphs);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The name that a location carries, or "".
static StringRef nameOf(Location loc) {
  auto named = dyn_cast<NameLoc>(loc);
  return named ? named.getName().getValue() : StringRef();
}

/// Names an inlined node and its outputs `call/inner`, at the call's place.
static void rename(NodeOp node, NodeOp call) {
  MLIRContext *context = node.getContext();
  StringRef prefix = nameOf(call.getLoc());
  auto prefixed = [&](StringRef name) {
    return StringAttr::get(context, name.empty() ? "" : prefix + "/" + name);
  };
  if (auto callLoc = dyn_cast<NameLoc>(call.getLoc()))
    node->setLoc(
        NameLoc::get(prefixed(nameOf(node.getLoc())), callLoc.getChildLoc()));
  if (ArrayAttr names = node.getOutputNamesAttr()) {
    SmallVector<Attribute> renamed;
    for (Attribute name : names)
      renamed.push_back(prefixed(cast<StringAttr>(name).getValue()));
    node.setOutputNamesAttr(ArrayAttr::get(context, renamed));
  }
}

/// Gives an inlined value the name and the type that the call declares for it.
static void takeOver(Value value, NodeOp call, unsigned index) {
  auto result = dyn_cast<OpResult>(value);
  auto node = result ? dyn_cast<NodeOp>(result.getOwner()) : NodeOp();
  if (!node)
    return;
  Type declared = call.getResult(index).getType();
  if (isa<UnknownType>(result.getType()) &&
      !isa<UnknownType, mkc::onnx::NoneType>(declared))
    result.setType(declared);
  ArrayAttr names = node.getOutputNamesAttr(),
            given = call.getOutputNamesAttr();
  if (!names || !given || cast<StringAttr>(given[index]).empty())
    return;
  SmallVector<Attribute> renamed(names.begin(), names.end());
  renamed[result.getResultNumber()] = given[index];
  node.setOutputNamesAttr(ArrayAttr::get(node.getContext(), renamed));
}

static LogicalResult checkCall(NodeOp call, func::FuncOp function) {
  if (call.getInputs().size() > function.getNumArguments())
    return emitError(call.getLoc())
           << "call of '" << function.getSymName() << "' has "
           << call.getInputs().size() << " inputs, but the function has "
           << function.getNumArguments();
  if (call.getNumResults() > function.getNumResults())
    return emitError(call.getLoc())
           << "call of '" << function.getSymName() << "' has "
           << call.getNumResults() << " outputs, but the function has "
           << function.getNumResults();
  return success();
}

namespace {

/// Inlines all calls under a function within a budget of nodes.
class Inliner {
public:
  Inliner(const Functions &functions, uint64_t budget)
      : functions(functions), budget(budget) {}

  LogicalResult expand(Block &block, unsigned depth);

private:
  LogicalResult inlineCall(NodeOp call, func::FuncOp function);
  LogicalResult pay(NodeOp call, func::FuncOp function);
  IRMapping mapArguments(NodeOp call, func::FuncOp function);

  const Functions &functions;
  uint64_t budget;
  llvm::DenseMap<Operation *, uint64_t> nodeCounts;
};

struct OnnxInlineFunctionsPass
    : mkc::impl::OnnxInlineFunctionsPassBase<OnnxInlineFunctionsPass> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

/// Takes the nodes that a call brings from the budget. Nodes with long names
/// count more: names grow with each level of calls.
LogicalResult Inliner::pay(NodeOp call, func::FuncOp function) {
  auto [it, isNew] = nodeCounts.try_emplace(function, 1);
  if (isNew)
    function.walk([&](NodeOp) { ++it->second; });
  uint64_t count = it->second;
  call->walk([&](NodeOp) { ++count; });
  uint64_t cost = count * (1 + nameOf(call.getLoc()).size() / 256);
  if (cost > budget)
    return emitError(call.getLoc())
           << "inlining '" << function.getSymName()
           << "' makes the model too large: " << cost
           << " more nodes, but the limit leaves " << budget;
  budget -= cost;
  return success();
}

/// Maps the function's arguments to the call's inputs, omitted ones to none.
IRMapping Inliner::mapArguments(NodeOp call, func::FuncOp function) {
  OpBuilder builder(call);
  IRMapping mapping;
  for (auto [argument, input] :
       llvm::zip(function.getArguments(), call.getInputs()))
    mapping.map(argument, input);
  for (Value argument :
       function.getArguments().drop_front(call.getInputs().size()))
    mapping.map(argument,
                NoneOp::create(builder, call.getLoc(),
                               mkc::onnx::NoneType::get(call.getContext())));
  return mapping;
}

/// Replaces the call by a copy of the function's body.
LogicalResult Inliner::inlineCall(NodeOp call, func::FuncOp function) {
  if (failed(checkCall(call, function)) || failed(pay(call, function)))
    return failure();
  IRMapping mapping = mapArguments(call, function);
  OpBuilder builder(call);
  Block &body = function.getBody().front();
  SmallVector<NodeOp> nodes;
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping)->walk([&](NodeOp node) {
      nodes.push_back(node);
    });
  for (NodeOp node : nodes)
    rename(node, call);
  for (auto [index, result] : llvm::enumerate(call.getResults())) {
    Value value = mapping.lookup(body.getTerminator()->getOperand(index));
    takeOver(value, call, index);
    result.replaceAllUsesWith(value);
  }
  auto details = function->getAttrOfType<DictionaryAttr>("onnx.function");
  Binding binding{call.getNodeAttributes(),
                  details.getAs<DictionaryAttr>("defaults"), call};
  for (NodeOp node : nodes)
    substitute(node, binding);
  call.erase();
  return success();
}

/// Inlines the calls of a block and of the graphs in it. What a call leaves in
/// its place is visited next, so that its own calls are found.
LogicalResult Inliner::expand(Block &block, unsigned depth) {
  for (auto it = block.begin(); it != block.end();) {
    auto node = dyn_cast<NodeOp>(*it);
    if (func::FuncOp function = node ? functions.callee(node) : nullptr) {
      Operation *before = node->getPrevNode();
      if (failed(inlineCall(node, function)))
        return failure();
      it = before ? std::next(before->getIterator()) : block.begin();
      continue;
    }
    if (depth == maxGraphNesting && it->getNumRegions())
      return emitError(it->getLoc()) << "subgraphs are nested deeper than "
                                     << maxGraphNesting << " levels";
    for (Region &region : it->getRegions())
      for (Block &inner : region)
        if (failed(expand(inner, depth + 1)))
          return failure();
    ++it;
  }
  return success();
}

/// The types of returned values may have become known.
static void updateType(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             function.getArgumentTypes(),
                                             terminator->getOperandTypes()));
}

void OnnxInlineFunctionsPass::runOnOperation() {
  Functions functions(getOperation());
  if (functions.empty())
    return;
  if (failed(functions.checkNoRecursion()))
    return signalPassFailure();
  Inliner inliner(functions, maxNodes);
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (function->hasAttr("onnx.function") || function.isExternal())
      continue;
    for (Block &block : function.getBody())
      if (failed(inliner.expand(block, 0)))
        return signalPassFailure();
    updateType(function);
  }
  functions.eraseAll();
}
