//===- Commands.h - The commands of mkc -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cli/ExitCode.h"

#include <string>

namespace CLI {
class App;
}

namespace mkc::driver {

/// Where a command that has run leaves how it ended.
using mkrt::cli::ExitCode;

/// Each adds a command to `app`; when it is chosen, it runs within the parsing
/// of the command line and sets `result`.
void addBenchCommand(CLI::App &app, ExitCode &result);
void addCheckCommand(CLI::App &app, ExitCode &result);
void addCompileCommand(CLI::App &app, ExitCode &result);
void addDoctorCommand(CLI::App &app, ExitCode &result);
void addExplainCommand(CLI::App &app, ExitCode &result);
void addOpsCommand(CLI::App &app, ExitCode &result);
void addRunCommand(CLI::App &app, ExitCode &result);
void addVerifyCommand(CLI::App &app, ExitCode &result);

/// The whole command line of mkc.
ExitCode runCommandLine(int argc, char **argv);

} // namespace mkc::driver
