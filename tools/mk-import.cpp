//===- mk-import.cpp - Prints an ONNX model as a module -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Diagnostics.h"
#include "compiler/onnx/Import.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::opt<std::string> path(llvm::cl::Positional, llvm::cl::Required,
                                  llvm::cl::desc("<model.onnx>"));
  llvm::cl::opt<bool> debugInfo("print-locations",
                                llvm::cl::desc("Print locations"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "mkc ONNX importer\n");

  mlir::MLIRContext context;
  mkc::driver::DiagnosticPrinter diagnostics(context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = mkc::importOnnx(path, context);
  if (!module)
    return 2;
  mlir::OpPrintingFlags flags;
  if (debugInfo)
    flags.enableDebugInfo();
  module->print(llvm::outs(), flags);
  llvm::outs() << '\n';
  return 0;
}
