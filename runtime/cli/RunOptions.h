//===- RunOptions.h - Options of run commands -----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mkrt::cli {

/// What `mk-run` and `mkc run` share.
struct RunOptions {
  std::string inputsFile;          ///< --inputs CASE.npz
  std::vector<std::string> inputs; ///< --input NAME=WHAT
  std::string outputsFile;         ///< --outputs OUT.npz
  uint32_t runs = 1;
  uint32_t threads = 0; ///< 0: all that are allowed.
  double stallLimit = 60;
  bool check = false;
  bool json = false;
};

/// Adds the options to a command; `options` must live until it has been parsed.
/// What they say is checked while parsing, but for the names of inputs.
void addRunOptions(CLI::App &app, RunOptions &options);

} // namespace mkrt::cli
