//===- OnnxToNn.cpp - From the imported graph to level 2 ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/OnnxToNn.h"
#include "dialects/mk/Mk.h"
#include "dialects/nn/Nn.h"
#include "passes/conversion/OnnxToNn/NodeConversion.h"
#include "passes/conversion/OnnxToNn/OpTable.h"
#include "passes/conversion/OnnxToNn/Unsupported.h"
#include "passes/conversion/OnnxToNn/WeightValue.h"
#include "passes/conversion/Passes.h"
#include "passes/graph/Interpreter/TensorValue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mkc {
#define GEN_PASS_DEF_CONVERTONNXTONNPASS
#include "passes/conversion/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {
/// Converts one graph: its ops in order, each to level-2 ops before it; the
/// level-1 ops are erased at the end.
class GraphConversion {
public:
  GraphConversion(func::FuncOp func, const ConvertOptions &options,
                  std::vector<Unsupported> *unsupported)
      : func(func), options(options), unsupported(unsupported),
        builder(func.getContext()) {}

  LogicalResult run();

private:
  LogicalResult bindArguments();
  FailureOr<RankedTensorType> argumentType(BlockArgument argument);
  LogicalResult reportUnbound(BlockArgument argument, StringRef name,
                              RankedTensorType type);
  LogicalResult convertOp(Operation &op);
  LogicalResult convertNode(onnx::NodeOp node);
  LogicalResult convertReturn(func::ReturnOp op);

  func::FuncOp func;
  const ConvertOptions &options;
  std::vector<Unsupported> *unsupported;
  OpBuilder builder;
  DenseMap<Value, Value> values;
};
} // namespace

static std::string argumentName(func::FuncOp func, unsigned index) {
  auto name = func.getArgAttrOfType<StringAttr>(index, "onnx.name");
  return name ? name.str() : "#" + std::to_string(index);
}

static std::string outputName(func::FuncOp func, unsigned index) {
  auto name = func.getResultAttrOfType<StringAttr>(index, "onnx.name");
  return name ? name.str() : "#" + std::to_string(index);
}

/// Names the dims that have no size: by the model's name for them, if it has
/// one.
LogicalResult GraphConversion::reportUnbound(BlockArgument argument,
                                             StringRef name,
                                             RankedTensorType type) {
  auto error = mlir::emitError(func.getLoc()) << "input " << name;
  if (!type)
    return error << " has no shape, and none is given";
  error << " of type " << type << " has unbound dims:";
  auto names =
      func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "onnx.dims");
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    auto dimName = names && d < int64_t(names.size())
                       ? dyn_cast<StringAttr>(names[d])
                       : StringAttr();
    error << " " << d;
    if (dimName && !dimName.empty())
      error << " (" << dimName.getValue() << ")";
  }
  return error;
}

/// The type with the shape that the options give, which must agree with the
/// sizes that the model states.
FailureOr<RankedTensorType>
GraphConversion::argumentType(BlockArgument argument) {
  std::string name = argumentName(func, argument.getArgNumber());
  auto declared = dyn_cast<TensorType>(argument.getType());
  if (!declared)
    return mlir::emitError(func.getLoc())
           << "input " << name << " has type " << argument.getType()
           << ", but must be a tensor";
  Type element = declared.getElementType();
  if (elementTypeBit(element) == ElementTypes::None)
    return mlir::emitError(func.getLoc())
           << "input " << name << " has element type " << onnxTypeName(element)
           << ", which is not supported";
  auto ranked = dyn_cast<RankedTensorType>(declared);
  auto checked = [&](RankedTensorType type) -> FailureOr<RankedTensorType> {
    if (countElements(type.getShape()) <= kMostElements)
      return type;
    return mlir::emitError(func.getLoc())
           << "input " << name << " of type " << type << " has more than "
           << kMostElements << " elements";
  };
  auto given = options.inputShapes.find(name);
  if (given == options.inputShapes.end()) {
    if (ranked && ranked.hasStaticShape())
      return checked(ranked);
    return reportUnbound(argument, name, ranked);
  }
  ArrayRef<int64_t> shape = given->second;
  if (ranked && ranked.getRank() != int64_t(shape.size()))
    return mlir::emitError(func.getLoc())
           << "input " << name << " is given rank " << shape.size()
           << ", but has rank " << ranked.getRank();
  for (size_t d = 0; ranked && d < shape.size(); ++d)
    if (!ranked.isDynamicDim(d) && ranked.getDimSize(d) != shape[d])
      return mlir::emitError(func.getLoc())
             << "dim " << d << " of input " << name << " is given as "
             << shape[d] << ", but is " << ranked.getDimSize(d);
  return checked(RankedTensorType::get(shape, element));
}

LogicalResult GraphConversion::bindArguments() {
  // All inputs are looked at before any is changed, so that all that is wrong
  // is reported.
  SmallVector<RankedTensorType> types;
  for (BlockArgument argument : func.getArguments())
    if (FailureOr<RankedTensorType> type = argumentType(argument);
        succeeded(type))
      types.push_back(*type);
  if (types.size() != func.getNumArguments())
    return failure();
  builder.setInsertionPointToStart(&func.front());
  for (auto [argument, type] : llvm::zip_equal(func.getArguments(), types)) {
    argument.setType(type);
    values[argument] = argument;
    std::string name = argumentName(func, argument.getArgNumber());
    auto given = options.inputValues.find(name);
    auto value = given != options.inputValues.end()
                     ? given->second
                     : func.getArgAttrOfType<DenseElementsAttr>(
                           argument.getArgNumber(), "onnx.value");
    if (!value)
      continue;
    if (value.getType() != type)
      return mlir::emitError(func.getLoc())
             << "input " << name << " has type " << type
             << ", but its value has type " << value.getType();
    values[argument] = NnBuilder(builder, argument.getLoc()).constant(value);
  }
  return success();
}

LogicalResult GraphConversion::convertNode(onnx::NodeOp node) {
  SmallVector<Value> inputs;
  for (Value operand : node.getInputs())
    inputs.push_back(values.lookup(operand));
  NodeConversion c(builder, node, inputs);
  const OpEntry *entry =
      findOp(node.getDomain(), node.getOpType(), node.getOpset());
  if (!entry) // collectUnsupported has seen it before
    return c.unsupported("opset " + Twine(node.getOpset()));
  if (Value typed = c.input(entry->typedInput);
      typed && !contains(entry->types, elementTypeBit(elementOf(typed)))) {
    if (unsupported) {
      unsupported->push_back(describeNode(node));
      unsupported->back().type = onnxTypeName(elementOf(typed));
    }
    return c.unsupported("element type " + onnxTypeName(elementOf(typed)));
  }
  if (!entry->movesElements)
    c.widenInputs(entry->typedInput);
  if (failed(entry->convert(c)) || c.hadError()) {
    if (c.isUnsupported() && unsupported)
      unsupported->push_back(describeNode(node));
    return failure();
  }
  if (auto type = c.getTooLarge())
    return c.error() << "makes a tensor of shape "
                     << shapeText(type->getShape()) << ", which has more than "
                     << kMostElements << " elements";
  c.roundResults();
  for (auto [i, output] : llvm::enumerate(node.getOutputs())) {
    if (i < c.results.size())
      values[output] = c.results[i];
    else if (!output.use_empty())
      return c.error() << "has " << node.getNumResults()
                       << " outputs, but gives " << c.results.size();
  }
  return success();
}

LogicalResult GraphConversion::convertReturn(func::ReturnOp op) {
  SmallVector<Value> results;
  for (Value operand : op.getOperands()) {
    results.push_back(values.lookup(operand));
    if (!results.back())
      return op.emitError() << "an output of the graph is omitted by the node "
                               "that should give it";
    Type declared = getElementTypeOrSelf(operand.getType());
    Type element = elementOf(results.back());
    if (elementTypeBit(declared) != ElementTypes::None && declared != element)
      return op.emitError() << "output " << outputName(func, results.size() - 1)
                            << " is declared as " << onnxTypeName(declared)
                            << ", but is " << onnxTypeName(element);
  }
  op->setOperands(results);
  return success();
}

LogicalResult GraphConversion::convertOp(Operation &op) {
  builder.setInsertionPoint(&op);
  if (auto node = dyn_cast<onnx::NodeOp>(op))
    return convertNode(node);
  if (auto initializer = dyn_cast<onnx::InitializerOp>(op)) {
    if (initializer->use_empty())
      return success();
    NnBuilder nn(builder, op.getLoc());
    FailureOr<Value> value = emitTensor(nn, initializer.getValue());
    if (succeeded(value))
      values[initializer.getResult()] = *value;
    return value;
  }
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return convertReturn(ret);
  if (isa<onnx::NoneOp>(op))
    return success();
  return op.emitError() << "is not an op of level 1";
}

LogicalResult GraphConversion::run() {
  SmallVector<Operation *> level1;
  for (Operation &op : func.front())
    level1.push_back(&op);
  if (failed(bindArguments()))
    return failure();
  for (Operation *op : level1)
    if (failed(convertOp(*op)))
      return failure();
  for (Operation *op : llvm::reverse(ArrayRef(level1).drop_back())) {
    op->dropAllUses();
    op->erase();
  }
  eraseDeadOps(func.front());
  func.setType(
      FunctionType::get(func.getContext(), func.front().getArgumentTypes(),
                        func.front().getTerminator()->getOperandTypes()));
  return success();
}

LogicalResult mkc::convertOnnxToNn(ModuleOp module,
                                   const ConvertOptions &options,
                                   std::vector<Unsupported> *unsupported) {
  if (failed(reportUnsupported(module))) {
    if (unsupported)
      llvm::append_range(*unsupported, collectUnsupported(module));
    return failure();
  }
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal() && !func->hasAttr("onnx.function") &&
        failed(GraphConversion(func, options, unsupported).run()))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Adds a shape written as `name=2x3`, or `name=` for a scalar.
static LogicalResult parseShape(StringRef text, ConvertOptions &options) {
  auto [name, sizes] = text.rsplit('=');
  SmallVector<int64_t> shape;
  while (!sizes.empty()) {
    auto [size, rest] = sizes.split('x');
    int64_t value;
    if (size.getAsInteger(10, value) || value < 0)
      return failure();
    shape.push_back(value);
    sizes = rest;
  }
  options.inputShapes[name] = shape;
  return success();
}

namespace {
struct ConvertOnnxToNnPass
    : mkc::impl::ConvertOnnxToNnPassBase<ConvertOnnxToNnPass> {
  using ConvertOnnxToNnPassBase::ConvertOnnxToNnPassBase;

  void runOnOperation() override {
    ConvertOptions options;
    for (const std::string &text : inputShapes) {
      if (failed(parseShape(text, options))) {
        getOperation().emitError()
            << "'" << text << "' is no input shape such as x=2x3";
        return signalPassFailure();
      }
    }
    if (failed(convertOnnxToNn(getOperation(), options)))
      signalPassFailure();
  }
};
} // namespace
