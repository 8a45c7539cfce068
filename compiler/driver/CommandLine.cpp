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

static bool hasCommand(const CLI::App &app, const std::string &name) {
  auto isIt = [&](const CLI::App *command) {
    return command->get_name() == name;
  };
  return !app.get_subcommands(isIt).empty();
}

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
  if (argc > 1 && argv[1][0] != '-' && !hasCommand(app, argv[1])) {
    std::fprintf(stderr, "mkc: error: no command '%s'; see mkc --help\n",
                 argv[1]);
    return mkrt::cli::BadInput;
  }
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
