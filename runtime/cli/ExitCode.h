//===- ExitCode.h - Exit codes and diagnostics of the tools ---------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/host/Error.h"

#include <string>

namespace mkrt::cli {

enum ExitCode : int {
  Success = 0,
  CheckFailed = 1,  ///< A comparison or a check failed.
  BadInput = 2,     ///< Wrong usage, bad input, unsupported model.
  RunFailed = 3,    ///< Watchdog, index, memory.
  InternalError = 4 ///< Our own mistake.
};

ExitCode exitCode(const host::Error &error);

/// Prints "file: error: message" to stderr. The file's name is not repeated if
/// the message starts with it.
void printError(const std::string &file, const std::string &message);

} // namespace mkrt::cli
