//===- CompileCommand.cpp - mkc compile -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Commands.h"
#include "compiler/driver/Compiler.h"
#include "compiler/driver/EmitCuda.h"
#include "compiler/driver/Interrupt.h"
#include "runtime/format/AtomicFile.h"

#include <CLI/CLI.hpp>

#include <filesystem>

using namespace mkc::driver;
using namespace mkrt::cli;

namespace {
struct CompileOptions {
  ModelOptions model;
  std::string input, output, from, to;
  std::string emitCuda;
  bool json = false;
};
} // namespace

static ExitCode usageError(const std::string &message) {
  printError("mkc", message);
  return BadInput;
}

static std::string checkCudaUsage(const CompileOptions &options) {
  if (!options.to.empty() || !options.output.empty())
    return "--emit-cuda writes the text alone: not together with -o or "
           "--compile-to";
  std::string error = checkModelOptions(options.model, /*mayBeGpu=*/true);
  if (error.empty() && !gpuTarget(options.model))
    return "--emit-cuda needs a GPU: give --target=sm_90a, or another one";
  return error;
}

static std::string checkUsage(const CompileOptions &options) {
  for (const std::string &name : {options.from, options.to})
    if (!name.empty() && !findPhase(name))
      return "no phase '" + name + "'; there are " + phaseNames();
  if (!options.from.empty() && !options.to.empty() &&
      findPhase(options.from) >= findPhase(options.to))
    return "--compile-from=" + options.from +
           " is not before --compile-to=" + options.to;
  if (options.from == phases().back().name)
    return "--compile-from=" + options.from +
           ": nothing is left to do behind the last phase";
  bool writesPackage = options.to.empty() || options.to == phases().back().name;
  std::error_code missing;
  if (!options.output.empty() &&
      std::filesystem::equivalent(options.input, options.output, missing))
    return "-o " + options.output + " is the model itself";
  if (!options.emitCuda.empty())
    return checkCudaUsage(options);
  if (options.output.empty() && writesPackage)
    return "no output: give -o OUT.mkp, --compile-to=PHASE or --emit-cuda=DIR";
  return checkModelOptions(options.model, /*mayBeGpu=*/true);
}

/// Prints IR to the output file, or to standard output.
static ExitCode writeText(const CompileOptions &options, CompileState &state) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  state.module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  text += '\n';
  if (options.output.empty()) {
    llvm::outs() << text;
    return Success;
  }
  mkrt::format::AtomicFile file(options.output);
  file.write(std::as_bytes(std::span(text)));
  if (std::string error = file.commit(); !error.empty()) {
    printError(options.output, error);
    return RunFailed;
  }
  return Success;
}

/// Loads a model, or what `--compile-from` continues from.
static ExitCode loadInput(const CompileOptions &options, Compiler &compiler) {
  if (!options.from.empty())
    return compiler.loadText(options.input, *findPhase(options.from));
  bool importOnly = options.to == phases().front().name;
  return compiler.load(options.input, importOnly);
}

static ExitCode compile(const CompileOptions &options) {
  if (std::string error = checkUsage(options); !error.empty())
    return usageError(error);
  InterruptCleanup cleanup([&] { removeTemporaries(options.output); });
  Compiler compiler(options.model);
  ExitCode code = loadInput(options, compiler);
  if (code != Success) {
    if (options.json && !compiler.unsupported().empty())
      printUnsupported(compiler.unsupported());
    return code;
  }
  const Phase &last = !options.emitCuda.empty() ? *findPhase("variants")
                      : options.to.empty()      ? phases().back()
                                                : *findPhase(options.to);
  mkc::ConvertOptions inputs;
  Dims dims({});
  if (code = compiler.dims(dims); code != Success)
    return code;
  if (&last != &phases().front()) {
    if (std::string error = dims.check(); !error.empty())
      return usageError(error);
    if (code = compiler.bind(dims, {}, {}, inputs); code != Success)
      return code;
  }
  CompileState state(compiler.weightStore());
  if (code = compiler.compile(inputs, last, state); code != Success) {
    if (options.json && !compiler.unsupported().empty())
      printUnsupported(compiler.unsupported());
    return code;
  }
  if (!options.emitCuda.empty())
    return writeCuda(state, options.emitCuda);
  return state.package
             ? compiler.writePackage(inputs, *state.package, options.output)
             : writeText(options, state);
}

void mkc::driver::addCompileCommand(CLI::App &app, ExitCode &result) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App *command =
      app.add_subcommand("compile", "Compiles a model into a package");
  command->footer("Phases: " + phaseNames() +
                  "\nExample:\n  mkc compile model.onnx --dim batch=1 -o "
                  "model.mkp");
  command->add_option("model", options->input, "The model")
      ->type_name("MODEL.onnx")
      ->required();
  command->add_option("-o,--output", options->output, "Where to write")
      ->type_name("OUT.mkp");
  command
      ->add_option("--compile-to", options->to,
                   "Stop behind a phase and print the IR as text")
      ->type_name("PHASE");
  command
      ->add_option("--compile-from", options->from,
                   "The model is IR that --compile-to=PHASE has printed")
      ->type_name("PHASE");
  command
      ->add_option("--emit-cuda", options->emitCuda,
                   "Write the CUDA text of a GPU's kernels into a folder, a "
                   "file each and program.cu, and nothing else")
      ->type_name("DIR");
  command->add_flag("--json", options->json,
                    "Print what is unsupported as JSON");
  addUnusedThreads(*command);
  addModelOptions(*command, options->model);
  command->callback([options, &result] { result = compile(*options); });
}
