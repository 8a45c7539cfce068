//===- mk-interpret.cpp - Runs a model's level 2 in the interpreter -------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mk-interpret MODEL.onnx --inputs=DIR --outputs=DIR [--passes=PIPELINE]
//
// DIR/tensors.json describes the tensors of a folder: {"name": {"type": "f32",
// "shape": [2, 3], "file": "0.bin"}}, where a file holds the elements in
// row-major order. The model's dims are bound by the inputs. Writes the outputs
// the same way, so that a script can compare them with recorded ones: this
// proves the conversion and the passes at level 2 without any code generation.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Diagnostics.h"
#include "compiler/onnx/Import.h"
#include "dialects/Register.h"
#include "passes/conversion/OnnxToNn/OnnxToNn.h"
#include "passes/conversion/OnnxToNn/OpTable.h"
#include "passes/graph/Interpreter/Interpreter.h"
#include "passes/graph/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace mlir;
using namespace mkc;
using nlohmann::json;

static Type elementType(const std::string &name, MLIRContext &context) {
  Builder b(&context);
  if (name == "f32")
    return b.getF32Type();
  if (name == "f16")
    return b.getF16Type();
  if (name == "bf16")
    return b.getBF16Type();
  return b.getIntegerType(name == "bool" ? 1 : name == "i32" ? 32 : 64);
}

static std::string elementName(Type type) {
  if (type.isF32())
    return "f32";
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  return type.isInteger(1) ? "bool" : type.isInteger(32) ? "i32" : "i64";
}

using Tensors = llvm::StringMap<TensorValue>;

static bool readTensors(const std::string &folder, MLIRContext &context,
                        Tensors &tensors) {
  std::ifstream file(folder + "/tensors.json");
  json description = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!description.is_object())
    return false;
  for (auto &[name, entry] : description.items()) {
    auto shape = entry["shape"].get<std::vector<int64_t>>();
    TensorValue value(
        RankedTensorType::get(shape, elementType(entry["type"], context)));
    std::ifstream data(folder + "/" + entry["file"].get<std::string>(),
                       std::ios::binary);
    if (!data.read(value.raw(), value.getNumBytes()))
      return false;
    tensors[name] = value;
  }
  return true;
}

static bool
writeTensors(const std::string &folder,
             const std::vector<std::pair<std::string, TensorValue>> &tensors) {
  json description = json::object();
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    const TensorValue &value = tensor.second;
    std::string file = std::to_string(i) + ".bin";
    description[tensor.first] = {
        {"type", elementName(value.getElementType())},
        {"shape", std::vector<int64_t>(value.getShape())},
        {"file", file}};
    std::ofstream data(folder + "/" + file, std::ios::binary);
    if (!data.write(value.raw(), value.getNumBytes()))
      return false;
  }
  return bool(std::ofstream(folder + "/tensors.json") << description.dump());
}

/// Names of the graph's inputs or outputs, from their attributes.
static std::string nameOf(Attribute name) {
  auto text = dyn_cast_or_null<StringAttr>(name);
  return text ? text.str() : "";
}

static int fail(const Twine &text) {
  llvm::errs() << "mk-interpret: error: " << text << '\n';
  return 2;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::opt<std::string> path(llvm::cl::Positional,
                                  llvm::cl::desc("<model.onnx>"));
  llvm::cl::opt<std::string> inputs("inputs",
                                    llvm::cl::desc("Folder of the inputs"));
  llvm::cl::opt<std::string> outputs("outputs",
                                     llvm::cl::desc("Folder for the outputs"));
  llvm::cl::opt<std::string> passes("passes",
                                    llvm::cl::desc("Passes to run on level 2"));
  llvm::cl::opt<bool> print("print",
                            llvm::cl::desc("Print the IR that is interpreted"));
  llvm::cl::opt<bool> list(
      "list-operators",
      llvm::cl::desc("Print the operators that are supported"));
  registerGraphPasses();
  llvm::cl::ParseCommandLineOptions(argc, argv, "interpreter of models\n");
  if (list) {
    for (const OpEntry &entry : opTable())
      llvm::outs() << entry.opType << '\n';
    return 0;
  }

  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.disableMultithreading();
  driver::DiagnosticPrinter diagnostics(context, llvm::errs());
  Tensors given;
  if (!readTensors(inputs, context, given))
    return fail("cannot read the tensors of " + inputs);
  OwningOpRef<ModuleOp> module = importOnnx(path, context);
  if (!module)
    return 2;
  diagnostics.learnNodes(*module);
  PassManager inliner(&context);
  inliner.addPass(createOnnxInlineFunctionsPass());
  if (failed(inliner.run(*module)))
    return 2;
  ConvertOptions options;
  for (auto &entry : given)
    options.inputShapes[entry.getKey()] =
        llvm::to_vector(entry.getValue().getShape());
  for (const std::string &name : inputsThatShapesNeed(*module))
    if (auto found = given.find(name); found != given.end())
      options.inputValues[name] = found->second.toElements();
  PassManager manager(&context);
  if (failed(parsePassPipeline(passes, manager)))
    return fail("wrong passes: " + passes);
  if (failed(convertOnnxToNn(*module, options)) || failed(verify(*module)) ||
      failed(manager.run(*module)))
    return 2;
  if (print)
    module->print(llvm::errs());

  auto main = module->lookupSymbol<func::FuncOp>("main");
  SmallVector<TensorValue> arguments;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto found = given.find(nameOf(main.getArgAttr(i, "onnx.name")));
    if (found == given.end())
      return fail("no value for input " +
                  nameOf(main.getArgAttr(i, "onnx.name")));
    arguments.push_back(found->second);
  }
  FailureOr<SmallVector<TensorValue>> results =
      evaluateFunction(main, arguments);
  if (failed(results))
    return 3;
  std::vector<std::pair<std::string, TensorValue>> named;
  for (auto [i, value] : llvm::enumerate(*results))
    named.emplace_back(nameOf(main.getResultAttr(i, "onnx.name")), value);
  return writeTensors(outputs, named) ? 0 : fail("cannot write to " + outputs);
}
