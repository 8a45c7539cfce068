//===- ExitCode.cpp - Exit codes and diagnostics of the tools -------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/ExitCode.h"

#include <cstdio>

using namespace mkrt;
using namespace mkrt::cli;

ExitCode mkrt::cli::exitCode(const host::Error &error) {
  switch (error.code) {
  case host::ErrorCode::Ok:
    return Success;
  case host::ErrorCode::InvalidArgument:
  case host::ErrorCode::BadPackage:
  case host::ErrorCode::Unsupported:
    return BadInput;
  case host::ErrorCode::OutOfMemory:
  case host::ErrorCode::IndexFault:
  case host::ErrorCode::Stalled:
  case host::ErrorCode::Busy:
  case host::ErrorCode::System:
    return RunFailed;
  case host::ErrorCode::Schedule:
  case host::ErrorCode::Internal:
    return InternalError;
  case host::ErrorCode::CheckFailed:
    return ExitCode::CheckFailed;
  }
  return InternalError;
}

void mkrt::cli::printError(const std::string &file,
                           const std::string &message) {
  std::string text = message;
  if (text.starts_with(file + ": "))
    text.erase(0, file.size() + 2);
  std::fflush(stdout);
  std::fprintf(stderr, "%s: error: %s\n", file.c_str(), text.c_str());
}
