//===- RunCommand.h - Running a program and printing results --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cli/ExitCode.h"
#include "runtime/cli/RunOptions.h"
#include "runtime/host/Program.h"

#include <memory>

namespace mkrt::cli {

/// Verifies the schedule again if the options say so, prepares the inputs,
/// runs, prints each output's name, type, shape and summary to stdout and
/// writes the outputs' file. Errors go to stderr as diagnostics of `file`, the
/// package or model that the program comes from.
ExitCode runProgram(const std::string &file,
                    std::shared_ptr<const host::Program> program,
                    const RunOptions &options);

/// The same for a package's file.
ExitCode runPackage(const std::string &path, const RunOptions &options);

} // namespace mkrt::cli
