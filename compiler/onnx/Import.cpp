//===- Import.cpp - Import of ONNX models ---------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/Import.h"

#include "compiler/onnx/AttributeImport.h"
#include "compiler/onnx/GraphImport.h"
#include "dialects/mk/Mk.h"
#include "dialects/onnx/Onnx.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::onnx;

namespace {

/// Imports one model.
class ModelImporter {
public:
  explicit ModelImporter(const ImportContext &import)
      : import(import), builder(import.context) {}

  OwningOpRef<ModuleOp> importModel();

private:
  FailureOr<OpsetMap> importOpsets(Location loc,
                                   ArrayRef<proto::Message> messages);
  LogicalResult readFunctions(ArrayRef<proto::Message> messages);
  LogicalResult importMain(proto::Message message, const OpsetMap &opsets);
  LogicalResult importFunction(const proto::Function &proto);
  FailureOr<DictionaryAttr> functionDefaults(const proto::Function &proto,
                                             Location loc);
  DictionaryAttr opsetDictionary(const OpsetMap &opsets);

  const ImportContext &import;
  OpBuilder builder;
  ModuleOp module;
  std::vector<proto::Function> functions;
  llvm::StringSet<> functionSymbols;
};

} // namespace

FailureOr<OpsetMap>
ModelImporter::importOpsets(Location loc, ArrayRef<proto::Message> messages) {
  OpsetMap opsets;
  for (proto::Message message : messages) {
    proto::OpsetId opset;
    if (failed(import.read(loc, message, opset)))
      return failure();
    StringRef domain = canonicalDomain(opset.domain);
    auto [it, isNew] = opsets.try_emplace(domain, opset.version);
    if (!isNew && it->second != opset.version)
      return emitError(loc) << "domain '" << domain << "' is imported at opset "
                            << it->second << " and " << opset.version;
  }
  return opsets;
}

/// Domain -> version; "ai.onnx" stands for the default domain, as a
/// dictionary's keys are not empty.
DictionaryAttr ModelImporter::opsetDictionary(const OpsetMap &opsets) {
  NamedAttrList dictionary;
  for (const auto &entry : opsets)
    dictionary.set(entry.getKey().empty() ? "ai.onnx" : entry.getKey(),
                   builder.getI64IntegerAttr(entry.getValue()));
  return dictionary.getDictionary(import.context);
}

LogicalResult ModelImporter::readFunctions(ArrayRef<proto::Message> messages) {
  for (proto::Message message : messages) {
    Location loc = import.fileLocation();
    proto::Function function;
    if (failed(import.read(loc, message, function)))
      return failure();
    function.domain = canonicalDomain(function.domain);
    if (function.name.empty())
      return emitError(loc) << "a function has no name";
    std::string symbol =
        functionSymbol(function.domain, function.name, function.overload);
    if (!functionSymbols.insert(symbol).second)
      return emitError(import.valueLocation(function.name))
             << "function '" << symbol << "' is defined twice";
    functions.push_back(std::move(function));
  }
  return success();
}

/// The attributes of a function that have a default value.
FailureOr<DictionaryAttr>
ModelImporter::functionDefaults(const proto::Function &proto, Location loc) {
  NamedAttrList defaults;
  for (proto::Message message : proto.attributeDefaults) {
    proto::Attribute attribute;
    if (failed(import.read(loc, message, attribute)))
      return failure();
    if (attribute.name.empty())
      return emitError(loc) << "an attribute has no name";
    FailureOr<Attribute> value = importAttribute(import, loc, attribute);
    if (failed(value))
      return failure();
    defaults.set(attribute.name, *value);
  }
  return defaults.getDictionary(import.context);
}

LogicalResult ModelImporter::importFunction(const proto::Function &proto) {
  Location loc = import.valueLocation(proto.name);
  std::string symbol = functionSymbol(proto.domain, proto.name, proto.overload);
  FailureOr<OpsetMap> opsets = importOpsets(loc, proto.opsetImports);
  FailureOr<DictionaryAttr> defaults = functionDefaults(proto, loc);
  if (failed(opsets) || failed(defaults))
    return failure();
  auto function = func::FuncOp::create(builder, loc, symbol,
                                       builder.getFunctionType({}, {}));
  function.setPrivate();
  function->setAttr(
      "onnx.function",
      builder.getDictionaryAttr({
          builder.getNamedAttr("attributes", builder.getStrArrayAttr(
                                                 ArrayRef(proto.attributes))),
          builder.getNamedAttr("defaults", *defaults),
          builder.getNamedAttr("opsets", opsetDictionary(*opsets)),
      }));
  return importFunctionBody(import, proto, *opsets, functionSymbols, function);
}

LogicalResult ModelImporter::importMain(proto::Message message,
                                        const OpsetMap &opsets) {
  Location loc = import.fileLocation();
  proto::Graph graph;
  if (failed(import.read(loc, message, graph)))
    return failure();
  auto main = func::FuncOp::create(builder, loc, "main",
                                   builder.getFunctionType({}, {}));
  SmallVector<StringRef> constantInputs;
  if (failed(importMainGraph(import, graph, opsets, functionSymbols, main,
                             constantInputs)))
    return failure();
  if (!constantInputs.empty())
    module->setAttr("onnx.constant_inputs",
                    builder.getStrArrayAttr(constantInputs));
  return success();
}

OwningOpRef<ModuleOp> ModelImporter::importModel() {
  Location loc = import.fileLocation();
  proto::Model model;
  if (failed(import.read(loc, import.fileBytes, model)))
    return nullptr;
  if (!model.graph) {
    emitError(loc) << "not an ONNX model: the file has no graph";
    return nullptr;
  }
  FailureOr<OpsetMap> opsets = importOpsets(loc, model.opsetImports);
  if (failed(opsets))
    return nullptr;
  // Files from before opsets were introduced mean the first one.
  if (opsets->empty() && model.irVersion < 3)
    opsets->try_emplace("", 1);

  OwningOpRef<ModuleOp> owned(ModuleOp::create(loc));
  module = *owned;
  module->setAttr("onnx.ir_version",
                  builder.getI64IntegerAttr(model.irVersion));
  module->setAttr("onnx.opsets", opsetDictionary(*opsets));
  builder.setInsertionPointToEnd(module.getBody());
  if (failed(readFunctions(model.functions)) ||
      failed(importMain(*model.graph, *opsets)))
    return nullptr;
  for (const proto::Function &function : functions)
    if (failed(importFunction(function)))
      return nullptr;
  if (failed(verify(module)))
    return nullptr;
  return owned;
}

static void loadDialects(MLIRContext &context) {
  context.loadDialect<OnnxDialect, mk::MkDialect, func::FuncDialect>();
}

OwningOpRef<ModuleOp> mkc::importOnnx(StringRef path, MLIRContext &context) {
  loadDialects(context);
  WeightStore store;
  llvm::Expected<StringRef> bytes = store.file(path);
  if (!bytes) {
    emitError(FileLineColLoc::get(&context, path, 0, valueColumn))
        << "cannot read the model: " << llvm::toString(bytes.takeError());
    return nullptr;
  }
  ImportContext import(context, path, *bytes,
                       llvm::sys::path::parent_path(path).str(), store);
  return ModelImporter(import).importModel();
}

OwningOpRef<ModuleOp> mkc::importOnnx(StringRef bytes, StringRef name,
                                      std::optional<std::string> folder,
                                      MLIRContext &context) {
  loadDialects(context);
  WeightStore store;
  ImportContext import(context, name, bytes, std::move(folder), store);
  return ModelImporter(import).importModel();
}
