//===- GraphImport.cpp - ONNX graphs as blocks of operations --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph's values are found by name in a chain of scopes, the innermost first.
// Nodes must stand in topological order, so one pass over them suffices.
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/GraphImport.h"

#include "compiler/onnx/AttributeImport.h"
#include "compiler/onnx/TensorImport.h"
#include "compiler/onnx/TypeImport.h"
#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mkc::onnx;

namespace {

/// The names that are visible in a graph.
struct Scope {
  Scope *outer = nullptr;
  unsigned depth = 0;
  llvm::StringMap<Value> values;
  llvm::StringMap<DeclaredType> declared;

  Value lookup(StringRef name) const {
    for (const Scope *scope = this; scope; scope = scope->outer)
      if (auto it = scope->values.find(name); it != scope->values.end())
        return it->second;
    return {};
  }
};

/// The attributes of a node, sorted into plain ones and subgraphs.
struct NodeAttributes {
  NamedAttrList plain;
  SmallVector<StringRef> graphNames;
  SmallVector<proto::Message> graphs;
};

/// Imports the graphs of one function.
class GraphImporter {
public:
  GraphImporter(const ImportContext &import, const OpsetMap &opsets,
                const llvm::StringSet<> &functions, func::FuncOp function,
                const llvm::StringSet<> *functionAttributes = nullptr)
      : import(import), opsets(opsets), functions(functions),
        function(function), functionAttributes(functionAttributes),
        builder(import.context) {}

  LogicalResult importGraph(const proto::Graph &graph, Block &block,
                            Scope &scope, SmallVectorImpl<Value> &outputs,
                            SmallVectorImpl<StringRef> &constantInputs);
  LogicalResult importNodes(ArrayRef<proto::Message> nodes, Block &block,
                            Scope &scope);
  LogicalResult declare(ArrayRef<proto::Message> infos, Scope &scope);
  LogicalResult define(Location loc, StringRef name, Value value, Scope &scope);
  LogicalResult setFunctionType(Location loc, ArrayRef<StringRef> outputNames,
                                ArrayRef<Value> outputs, const Scope &scope);
  DictionaryAttr valueAttributes(StringRef name, ArrayAttr dims);

private:
  LogicalResult importInputs(const proto::Graph &graph, Block &block,
                             Scope &scope,
                             SmallVectorImpl<StringRef> &constantInputs);
  LogicalResult importInitializers(const proto::Graph &graph, Scope &scope);
  LogicalResult addInitializer(Location loc, StringRef name, TypedAttr value,
                               Scope &scope);
  LogicalResult importOutputs(const proto::Graph &graph, const Scope &scope,
                              SmallVectorImpl<Value> &outputs);

  LogicalResult importNode(const proto::Node &node, Location loc,
                           ArrayRef<proto::Message> laterNodes, Scope &scope);
  FailureOr<SmallVector<Value>> nodeInputs(const proto::Node &node,
                                           Location loc,
                                           ArrayRef<proto::Message> laterNodes,
                                           const Scope &scope);
  FailureOr<NodeAttributes> nodeAttributes(const proto::Node &node,
                                           Location loc);
  LogicalResult addAttribute(Location loc, const proto::Attribute &attribute,
                             NodeAttributes &to);
  FailureOr<int64_t> opsetOf(const proto::Node &node, Location loc) const;
  LogicalResult importSubgraph(proto::Message message, Location loc,
                               Region &region, Scope &outer);
  InFlightDiagnostic missingValue(Location loc, StringRef name,
                                  ArrayRef<proto::Message> laterNodes) const;
  Type declaredType(StringRef name, const Scope &scope) const;
  Value omitted();

  const ImportContext &import;
  const OpsetMap &opsets;
  const llvm::StringSet<> &functions;
  func::FuncOp function;
  const llvm::StringSet<> *functionAttributes;
  OpBuilder builder;
  Value omittedValue;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The value of omitted inputs: one for a function.
Value GraphImporter::omitted() {
  if (omittedValue)
    return omittedValue;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  omittedValue = NoneOp::create(builder, function.getLoc(),
                                mkc::onnx::NoneType::get(import.context));
  return omittedValue;
}

LogicalResult GraphImporter::define(Location loc, StringRef name, Value value,
                                    Scope &scope) {
  if (!scope.values.try_emplace(name, value).second)
    return emitError(loc) << "value '" << name << "' is defined twice";
  return success();
}

LogicalResult GraphImporter::declare(ArrayRef<proto::Message> infos,
                                     Scope &scope) {
  for (proto::Message message : infos) {
    proto::ValueInfo info;
    if (failed(import.read(import.fileLocation(), message, info)))
      return failure();
    FailureOr<DeclaredType> type =
        importType(import, import.valueLocation(info.name), info.type);
    if (failed(type))
      return failure();
    scope.declared.try_emplace(info.name, *type);
  }
  return success();
}

Type GraphImporter::declaredType(StringRef name, const Scope &scope) const {
  auto it = scope.declared.find(name);
  return it == scope.declared.end() ? Type(UnknownType::get(import.context))
                                    : it->second.type;
}

DictionaryAttr GraphImporter::valueAttributes(StringRef name, ArrayAttr dims) {
  NamedAttrList attributes;
  attributes.append("onnx.name", builder.getStringAttr(name));
  if (dims)
    attributes.append("onnx.dims", dims);
  return attributes.getDictionary(import.context);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// True if a value of type `actual`, which is static, may stand where the file
/// declares `declared`.
static bool isCompatible(Type declared, Type actual) {
  auto wanted = dyn_cast<TensorType>(declared);
  auto given = cast<RankedTensorType>(actual);
  if (!wanted)
    return isa<UnknownType>(declared);
  if (wanted.getElementType() != given.getElementType())
    return false;
  return !wanted.hasRank() ||
         succeeded(verifyCompatibleShape(wanted.getShape(), given.getShape()));
}

LogicalResult GraphImporter::addInitializer(Location loc, StringRef name,
                                            TypedAttr value, Scope &scope) {
  auto input = scope.declared.find(name);
  if (input != scope.declared.end() &&
      !isCompatible(input->second.type, value.getType()))
    return emitError(loc) << "initializer '" << name << "' has type "
                          << value.getType() << ", but is declared as "
                          << input->second.type;
  auto op = InitializerOp::create(builder, loc, value.getType(), name, value);
  return define(loc, name, op.getResult(), scope);
}

LogicalResult GraphImporter::importInitializers(const proto::Graph &graph,
                                                Scope &scope) {
  for (proto::Message message : graph.initializers) {
    proto::Tensor tensor;
    if (failed(import.read(import.fileLocation(), message, tensor)))
      return failure();
    Location loc = import.valueLocation(tensor.name);
    if (tensor.name.empty())
      return emitError(loc) << "an initializer has no name";
    FailureOr<TypedAttr> value = importTensor(import, loc, tensor);
    if (failed(value) ||
        failed(addInitializer(loc, tensor.name, *value, scope)))
      return failure();
  }
  for (proto::Message message : graph.sparseInitializers) {
    proto::SparseTensor sparse;
    proto::Tensor values;
    Location loc = import.fileLocation();
    if (failed(import.read(loc, message, sparse)) ||
        (sparse.values && failed(import.read(loc, *sparse.values, values))))
      return failure();
    if (values.name.empty())
      return emitError(loc) << "a sparse initializer has no name";
    loc = import.valueLocation(values.name);
    FailureOr<TypedAttr> value = importSparseTensor(import, loc, sparse);
    if (failed(value) ||
        failed(addInitializer(loc, values.name, *value, scope)))
      return failure();
  }
  return success();
}

/// Makes a block argument for each input that has no initialiser. An input with
/// one is a constant. Initialisers are in scope already.
LogicalResult
GraphImporter::importInputs(const proto::Graph &graph, Block &block,
                            Scope &scope,
                            SmallVectorImpl<StringRef> &constantInputs) {
  llvm::StringSet<> seen;
  for (proto::Message message : graph.inputs) {
    proto::ValueInfo info;
    if (failed(import.read(import.fileLocation(), message, info)))
      return failure();
    Location loc = import.valueLocation(info.name);
    if (info.name.empty())
      return emitError(loc) << "a graph input has no name";
    if (!seen.insert(info.name).second)
      return emitError(loc) << "value '" << info.name << "' is defined twice";
    if (scope.values.contains(info.name)) {
      constantInputs.push_back(info.name);
      continue;
    }
    Value argument = block.addArgument(declaredType(info.name, scope), loc);
    scope.values[info.name] = argument;
  }
  return success();
}

LogicalResult GraphImporter::importOutputs(const proto::Graph &graph,
                                           const Scope &scope,
                                           SmallVectorImpl<Value> &outputs) {
  for (proto::Message message : graph.outputs) {
    proto::ValueInfo info;
    if (failed(import.read(import.fileLocation(), message, info)))
      return failure();
    Value value = scope.lookup(info.name);
    if (!value)
      return emitError(import.valueLocation(info.name))
             << "graph output '" << info.name
             << "' is not computed by any node";
    outputs.push_back(value);
  }
  return success();
}

LogicalResult
GraphImporter::importGraph(const proto::Graph &graph, Block &block,
                           Scope &scope, SmallVectorImpl<Value> &outputs,
                           SmallVectorImpl<StringRef> &constantInputs) {
  // The first declaration counts. Those of inputs bind; those of outputs are
  // more often right than the exporters' notes on inner values.
  if (failed(declare(graph.inputs, scope)))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  if (failed(importInitializers(graph, scope)) ||
      failed(importInputs(graph, block, scope, constantInputs)) ||
      failed(declare(graph.outputs, scope)) ||
      failed(declare(graph.valueInfos, scope)) ||
      failed(importNodes(graph.nodes, block, scope)))
    return failure();
  return importOutputs(graph, scope, outputs);
}

LogicalResult GraphImporter::importSubgraph(proto::Message message,
                                            Location loc, Region &region,
                                            Scope &outer) {
  Scope scope;
  scope.outer = &outer;
  scope.depth = outer.depth + 1;
  if (scope.depth > maxGraphNesting)
    return emitError(loc) << "subgraphs are nested deeper than "
                          << maxGraphNesting << " levels";
  proto::Graph graph;
  if (failed(import.read(loc, message, graph)))
    return failure();
  SmallVector<Value> outputs;
  SmallVector<StringRef> constantInputs;
  Block &block = region.emplaceBlock();
  if (failed(importGraph(graph, block, scope, outputs, constantInputs)))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  YieldOp::create(builder, loc, outputs);
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The name of an unnamed node is its type and index.
static std::string nodeName(const proto::Node &node, unsigned index) {
  if (!node.name.empty())
    return node.name.str();
  return (node.opType + "_" + Twine(index)).str();
}

LogicalResult GraphImporter::importNodes(ArrayRef<proto::Message> nodes,
                                         Block &block, Scope &scope) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  for (auto [index, message] : llvm::enumerate(nodes)) {
    proto::Node node;
    if (failed(import.read(import.nodeLocation(Twine(index).str(), index),
                           message, node)))
      return failure();
    Location loc = import.nodeLocation(nodeName(node, index), index);
    if (failed(importNode(node, loc, nodes.drop_front(index), scope)))
      return failure();
  }
  return success();
}

/// Says why a node's input does not exist. `laterNodes` starts with the node.
InFlightDiagnostic
GraphImporter::missingValue(Location loc, StringRef name,
                            ArrayRef<proto::Message> laterNodes) const {
  for (auto [distance, message] : llvm::enumerate(laterNodes)) {
    proto::Node later;
    if (proto::read(message, later) || !llvm::is_contained(later.outputs, name))
      continue;
    if (distance == 0)
      return emitError(loc) << "node uses its own output '" << name << "'";
    return emitError(loc) << "node uses '" << name << "' before the node '"
                          << later.name << "' (" << later.opType
                          << ") computes it: nodes must be in topological "
                             "order, without cycles";
  }
  return emitError(loc) << "node uses '" << name
                        << "', which no node, input or initializer defines";
}

FailureOr<SmallVector<Value>>
GraphImporter::nodeInputs(const proto::Node &node, Location loc,
                          ArrayRef<proto::Message> laterNodes,
                          const Scope &scope) {
  SmallVector<Value> inputs;
  for (StringRef name : node.inputs) {
    Value value = name.empty() ? omitted() : scope.lookup(name);
    if (!value)
      return missingValue(loc, name, laterNodes);
    inputs.push_back(value);
  }
  return inputs;
}

LogicalResult GraphImporter::addAttribute(Location loc,
                                          const proto::Attribute &attribute,
                                          NodeAttributes &to) {
  using proto::AttributeType;
  StringRef name = attribute.name;
  if (!attribute.refName.empty()) {
    if (!functionAttributes || !functionAttributes->contains(attribute.refName))
      return emitError(loc)
             << "attribute '" << name << "' refers to the attribute '"
             << attribute.refName << "', which no enclosing function has";
    to.plain.set(name, RefAttr::get(import.context, attribute.refName));
    return success();
  }
  if (attribute.type == AttributeType::Graph && attribute.graph) {
    to.graphNames.push_back(name);
    to.graphs.push_back(*attribute.graph);
    return success();
  }
  if (attribute.type == AttributeType::Graphs) {
    to.graphNames.append(attribute.graphs.size(), name);
    to.graphs.append(attribute.graphs.begin(), attribute.graphs.end());
    return success();
  }
  FailureOr<Attribute> value = importAttribute(import, loc, attribute);
  if (failed(value))
    return failure();
  to.plain.set(name, *value);
  return success();
}

FailureOr<NodeAttributes> GraphImporter::nodeAttributes(const proto::Node &node,
                                                        Location loc) {
  NodeAttributes attributes;
  llvm::StringSet<> seen;
  for (proto::Message message : node.attributes) {
    proto::Attribute attribute;
    if (failed(import.read(loc, message, attribute)))
      return failure();
    if (attribute.name.empty())
      return emitError(loc) << "an attribute has no name";
    if (!seen.insert(attribute.name).second)
      return emitError(loc)
             << "attribute '" << attribute.name << "' is given twice";
    if (failed(addAttribute(loc, attribute, attributes)))
      return failure();
  }
  return attributes;
}

/// The opset that the node's domain is imported at. Calls of a model's own
/// function need none.
FailureOr<int64_t> GraphImporter::opsetOf(const proto::Node &node,
                                          Location loc) const {
  StringRef domain = canonicalDomain(node.domain);
  if (auto it = opsets.find(domain); it != opsets.end())
    return it->second;
  if (functions.contains(functionSymbol(domain, node.opType, node.overload)))
    return 1;
  return emitError(loc) << "node of type " << node.opType << " is in domain '"
                        << (domain.empty() ? "ai.onnx" : domain)
                        << "', which the model does not import";
}

LogicalResult GraphImporter::importNode(const proto::Node &node, Location loc,
                                        ArrayRef<proto::Message> laterNodes,
                                        Scope &scope) {
  if (node.opType.empty())
    return emitError(loc) << "node has no operator type";
  FailureOr<int64_t> opset = opsetOf(node, loc);
  FailureOr<SmallVector<Value>> inputs =
      nodeInputs(node, loc, laterNodes, scope);
  FailureOr<NodeAttributes> attributes = nodeAttributes(node, loc);
  if (failed(opset) || failed(inputs) || failed(attributes))
    return failure();

  SmallVector<Type> types;
  for (StringRef name : node.outputs)
    types.push_back(name.empty()
                        ? Type(mkc::onnx::NoneType::get(import.context))
                        : declaredType(name, scope));
  auto op = NodeOp::create(
      builder, loc, types, builder.getStringAttr(node.opType), *inputs,
      builder.getStringAttr(canonicalDomain(node.domain)),
      builder.getI64IntegerAttr(*opset),
      attributes->plain.getDictionary(import.context),
      attributes->graphNames.empty()
          ? ArrayAttr()
          : builder.getStrArrayAttr(attributes->graphNames),
      builder.getStrArrayAttr(node.outputs),
      node.overload.empty() ? StringAttr()
                            : builder.getStringAttr(node.overload),
      attributes->graphs.size());
  for (auto [region, graph] :
       llvm::zip_equal(op.getGraphs(), attributes->graphs))
    if (failed(importSubgraph(graph, loc, region, scope)))
      return failure();
  for (auto [name, result] : llvm::zip_equal(node.outputs, op.getOutputs()))
    if (!name.empty() && failed(define(loc, name, result, scope)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Returns the outputs and derives the function's type from its block.
LogicalResult GraphImporter::setFunctionType(Location loc,
                                             ArrayRef<StringRef> outputNames,
                                             ArrayRef<Value> outputs,
                                             const Scope &scope) {
  Block &block = function.getBody().front();
  builder.setInsertionPointToEnd(&block);
  func::ReturnOp::create(builder, loc, outputs);
  function.setFunctionType(builder.getFunctionType(
      block.getArgumentTypes(), ValueRange(outputs).getTypes()));
  for (auto [index, name] : llvm::enumerate(outputNames)) {
    auto declared = scope.declared.find(name);
    function.setResultAttrs(
        index, valueAttributes(name, declared == scope.declared.end()
                                         ? ArrayAttr()
                                         : declared->second.dims));
  }
  return success();
}

LogicalResult mkc::onnx::importMainGraph(
    const ImportContext &import, const proto::Graph &graph,
    const OpsetMap &opsets, const llvm::StringSet<> &functions,
    func::FuncOp function, SmallVectorImpl<StringRef> &constantInputs) {
  GraphImporter importer(import, opsets, functions, function);
  Scope scope;
  SmallVector<Value> outputs;
  Block &block = function.getBody().emplaceBlock();
  if (failed(
          importer.importGraph(graph, block, scope, outputs, constantInputs)))
    return failure();

  SmallVector<StringRef> outputNames;
  for (proto::Message message : graph.outputs) {
    proto::ValueInfo info;
    if (failed(import.read(function.getLoc(), message, info)))
      return failure();
    outputNames.push_back(info.name);
  }
  if (failed(importer.setFunctionType(function.getLoc(), outputNames, outputs,
                                      scope)))
    return failure();
  for (BlockArgument argument : block.getArguments()) {
    StringRef name = cast<NameLoc>(argument.getLoc()).getName();
    function.setArgAttrs(
        argument.getArgNumber(),
        importer.valueAttributes(name, scope.declared.lookup(name).dims));
  }
  return success();
}

LogicalResult mkc::onnx::importFunctionBody(const ImportContext &import,
                                            const proto::Function &proto,
                                            const OpsetMap &opsets,
                                            const llvm::StringSet<> &functions,
                                            func::FuncOp function) {
  llvm::StringSet<> attributes;
  for (StringRef name : proto.attributes)
    attributes.insert(name);
  for (proto::Message message : proto.attributeDefaults) {
    proto::Attribute attribute;
    if (failed(import.read(function.getLoc(), message, attribute)))
      return failure();
    attributes.insert(attribute.name);
  }
  GraphImporter importer(import, opsets, functions, function, &attributes);
  Scope scope;
  if (failed(importer.declare(proto.valueInfos, scope)))
    return failure();
  Block &block = function.getBody().emplaceBlock();
  for (StringRef name : proto.inputs) {
    Value argument = block.addArgument(UnknownType::get(import.context),
                                       import.valueLocation(name));
    if (failed(importer.define(argument.getLoc(), name, argument, scope)))
      return failure();
  }
  if (failed(importer.importNodes(proto.nodes, block, scope)))
    return failure();

  SmallVector<Value> outputs;
  for (StringRef name : proto.outputs) {
    Value value = scope.lookup(name);
    if (!value)
      return emitError(function.getLoc())
             << "function output '" << name << "' is not computed by any node";
    outputs.push_back(value);
  }
  if (failed(importer.setFunctionType(function.getLoc(),
                                      ArrayRef(proto.outputs), outputs, scope)))
    return failure();
  for (auto [index, name] : llvm::enumerate(proto.inputs))
    function.setArgAttrs(index, importer.valueAttributes(name, nullptr));
  return success();
}
