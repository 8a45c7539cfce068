//===- Tool.h - What the main functions of tools share --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>

namespace mkrt::cli {

/// Calls `body` and returns its exit code. No exception leaves: lack of memory
/// becomes `RunFailed`, anything else that nobody expects `InternalError`, both
/// with a message under the tool's name. A standard output that could not be
/// written (a full disk) turns success into `RunFailed`.
int runTool(const std::string &name, const std::function<int()> &body);

} // namespace mkrt::cli
