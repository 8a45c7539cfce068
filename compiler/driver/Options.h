//===- Options.h - Options of commands on models --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/CudaChip.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace mkc::driver {

/// How a model is compiled: what every command takes that is given a model.
struct ModelOptions {
  std::vector<std::string> targets = {"auto"};
  std::string mode = "auto";
  std::vector<std::string> dims;   ///< --dim
  std::vector<std::string> states; ///< --state OUT=IN
  std::string hostCpu = "native";
  std::string memory = "fast";
  bool allowTf32 = false, allowBf16 = false;
  bool seededWeights = false;
  bool simulate = false;
  uint64_t simulateSeed = 0;
  unsigned jobs = 0; ///< 0: as many as there are CPUs.
  bool remarks = false;
  bool profileCompile = false;
  std::string dumpPhasesTo;
  std::string dumpReproducer;
  /// All of the above as a command has declared them; the command owns them.
  std::vector<const CLI::Option *> declared;
};

/// Adds the options above to a command.
void addModelOptions(CLI::App &app, ModelOptions &options);

/// Refuses values that nothing can be made of, and what this version can't do;
/// targets other than the host unless `mayBeGpu`. Returns an error text, or an
/// empty string.
std::string checkModelOptions(const ModelOptions &options,
                              bool mayBeGpu = false);

/// The row of the GPU that is compiled for, or null for the host. Options must
/// have been checked.
const CudaChip *gpuTarget(const ModelOptions &options);

/// Refuses options of the compilation for what is compiled already. Returns an
/// error text, or an empty string.
std::string checkPackageOptions(const ModelOptions &options);

/// Adds `--threads` to a command that does not run what it compiles.
void addUnusedThreads(CLI::App &app);

/// Adds the model or package that a command works on.
void addModelArgument(CLI::App &app, std::string &path);

} // namespace mkc::driver
