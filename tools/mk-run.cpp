//===- mk-run.cpp - Runs compiled packages --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/RunCommand.h"
#include "runtime/cli/Tool.h"

#include <CLI/CLI.hpp>

using namespace mkrt::cli;

static int run(int argc, char **argv) {
  CLI::App app("Runs a package that mkc has compiled.", "mk-run");
  app.footer(
      "Example:\n  mk-run model.mkp --input x=random:7 --outputs out.npz");
  std::string package;
  RunOptions options;
  app.add_option("package", package, "The package to run")
      ->type_name("PKG.mkp")
      ->required();
  addRunOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) {
    return app.exit(request); // --help
  } catch (const CLI::ParseError &error) {
    app.exit(error);
    return BadInput;
  }
  return runPackage(package, options);
}

int main(int argc, char **argv) {
  return runTool("mk-run", [&] { return run(argc, argv); });
}
