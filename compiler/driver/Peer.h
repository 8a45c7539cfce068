//===- Peer.h - Other inference engines, for comparison -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Interrupt.h"
#include "compiler/driver/Programs.h"
#include "compiler/driver/Subprocess.h"

#include "nlohmann/json_fwd.hpp"

namespace mkc::driver {

/// An engine's Python package, driven through python/peer/peer.py, which lies
/// in this program. Python is `MKC_PYTHON` or python3. Functions return an
/// error text, or an empty string.
class Peer {
public:
  Peer() : cleanup([this] { removeFolder(); }) {}
  ~Peer() { removeFolder(); }

  /// Loads the model. 0 threads are the engine's default.
  std::string start(const std::string &engine, const std::string &model,
                    unsigned threads);
  /// Hands over the inputs of a program.
  std::string setInputs(const BoundProgram &bound);
  /// Runs some times and appends the times in milliseconds.
  std::string run(unsigned runs, std::vector<double> &latencies);
  /// The outputs of the last run.
  std::string readOutputs(TensorMap &outputs);
  /// The engine's name and version.
  const std::string &version() const { return engineVersion; }

private:
  std::string ask(const nlohmann::json &request, nlohmann::json &reply);
  std::string receive(nlohmann::json &reply);
  void removeFolder() const;

  std::string engine, engineVersion;
  std::string folder; ///< Temporary, for arrays.
  Subprocess process;
  InterruptCleanup cleanup;
};

} // namespace mkc::driver
