//===- RunCommand.cpp - mkc run -------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/RunCommand.h"
#include "compiler/driver/Commands.h"
#include "compiler/driver/Programs.h"

#include <CLI/CLI.hpp>

using namespace mkc::driver;
using namespace mkrt::cli;

namespace {
struct Options {
  ModelOptions model;
  RunOptions run;
  std::string path;
};
} // namespace

static ExitCode run(const Options &options) {
  if (isPackage(options.path)) {
    if (std::string error = checkPackageOptions(options.model);
        !error.empty()) {
      printError(options.path, error);
      return BadInput;
    }
    return runPackage(options.path, options.run);
  }
  std::unique_ptr<ProgramSource> source;
  ExitCode code = ProgramSource::open(options.path, options.model, source);
  if (code != Success) {
    if (options.run.json && source && !source->unsupported().empty())
      printUnsupported(source->unsupported());
    return code;
  }
  TensorMap inputs;
  RunOptions fills;
  if (std::string error = readGivenInputs(options.run, *source, inputs, fills);
      !error.empty()) {
    printError(options.path, error);
    return BadInput;
  }
  std::shared_ptr<const mkrt::host::Program> program;
  if (code = source->programFor(inputs, fills, program); code != Success) {
    if (options.run.json && !source->unsupported().empty())
      printUnsupported(source->unsupported());
    return code;
  }
  return runProgram(options.path, std::move(program), options.run);
}

void mkc::driver::addRunCommand(CLI::App &app, ExitCode &result) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand(
      "run", "Runs a model or a package and prints its outputs");
  command->footer("Example:\n  mkc run model.onnx --dim batch=1 --input "
                  "x=random:7 --outputs out.npz");
  addModelArgument(*command, options->path);
  addRunOptions(*command, options->run);
  addModelOptions(*command, options->model);
  command->callback([options, &result] { result = run(*options); });
}
