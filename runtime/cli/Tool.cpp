//===- Tool.cpp - What the main functions of tools share ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Tool.h"

#include "runtime/cli/ExitCode.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

using namespace mkrt;
using namespace mkrt::cli;

/// In code that must do without memory.
static int reportNoMemory(const char *name) noexcept {
  std::fprintf(stderr, "%s: error: out of memory\n", name);
  return RunFailed;
}

static int callBody(const std::string &name, const std::function<int()> &body) {
  try {
    return body();
  } catch (...) {
    try {
      host::Error error = host::currentException();
      printError(name, error.message);
      return exitCode(error);
    } catch (...) {
      return reportNoMemory(name.c_str());
    }
  }
}

int mkrt::cli::runTool(const std::string &name,
                       const std::function<int()> &body) {
  int code = callBody(name, body);
  errno = 0;
  std::cout.flush();
  bool flushed = std::fflush(stdout) == 0;
  if (flushed && !std::ferror(stdout))
    return code;
  std::fprintf(stderr, "%s: error: cannot write the results: %s\n",
               name.c_str(),
               errno ? std::strerror(errno) : "standard output has failed");
  return code == Success ? RunFailed : code;
}
