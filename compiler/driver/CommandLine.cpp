//===- CommandLine.cpp - The command line of mkc --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Commands.h"
#include "compiler/driver/Version.h"

#include <CLI/CLI.hpp>

using namespace mkc::driver;

ExitCode mkc::driver::runCommandLine(int argc, char **argv) {
  CLI::App app("Compiles ONNX models into persistent kernels, runs and checks "
               "them.",
               "mkc");
  app.footer("Example:\n  mkc compile model.onnx --dim batch=1 -o model.mkp\n"
             "  mkc run model.mkp --input x=random:7\n"
             "Each command has --help.");
  app.set_version_flag("--version", versionText());
  app.require_subcommand(1);
  ExitCode result = mkrt::cli::Success;
  addCompileCommand(app, result);
  addRunCommand(app, result);
  addVerifyCommand(app, result);
  addBenchCommand(app, result);
  addExplainCommand(app, result);
  addCheckCommand(app, result);
  addOpsCommand(app, result);
  addDoctorCommand(app, result);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) {
    return app.exit(request) == 0 ? mkrt::cli::Success : mkrt::cli::BadInput;
  } catch (const CLI::ParseError &error) {
    std::fprintf(stderr, "mkc: error: %s\n", error.what());
    return mkrt::cli::BadInput;
  }
  return result;
}
