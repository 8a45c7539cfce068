//===- import.cpp - Fuzz target of the ONNX importer ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any bytes must give a module or a diagnostic. What is imported must also
// survive inlining, printing and parsing. `make_seeds.py` writes a corpus.
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/Import.h"
#include "dialects/mk/Mk.h"
#include "dialects/onnx/Onnx.h"
#include "passes/graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>

using namespace mlir;

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

/// Ends the process unless the module's text stands for the same module.
static void checkRoundTrip(ModuleOp module) {
  std::string text = print(module);
  ParserConfig config(module.getContext());
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(text, config);
  if (!parsed || print(*parsed) != text) {
    llvm::errs() << text << "\n";
    std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<mkc::onnx::OnnxDialect, mkc::mk::MkDialect,
                      func::FuncDialect>();
  context.getDiagEngine().registerHandler([](Diagnostic &) {});
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  OwningOpRef<ModuleOp> module =
      mkc::importOnnx(bytes, "fuzz.onnx", std::nullopt, context);
  if (!module)
    return 0;
  checkRoundTrip(*module);
  PassManager passes(&context);
  mkc::OnnxInlineFunctionsPassOptions options;
  options.maxNodes = 1000;
  passes.addPass(mkc::createOnnxInlineFunctionsPass(options));
  if (succeeded(passes.run(*module)))
    checkRoundTrip(*module);
  return 0;
}
