//===- BenchProfile.h - Times of kernels and records ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Programs.h"

#include "nlohmann/json_fwd.hpp"

namespace mkc::driver {

/// Sums the profiles of several runs of one program.
class BenchProfile {
public:
  /// Runs the program a few times and takes its profile; apart from the
  /// measured runs, because taking times costs time.
  mkrt::host::Error measure(BoundProgram &program, unsigned threads);

  /// Time of all threads that was not spent in kernels, per record: looking
  /// for work, waiting, signalling. Nanoseconds.
  double overheadPerRecord() const;
  /// The same per tile.
  double overheadPerTask() const;
  /// Share of the threads' time that was spent in kernels.
  double kernelShare() const;

  /// One line per kernel, the most expensive first.
  void printKernels(const Work &work) const;
  nlohmann::ordered_json kernelsToJson(const Work &work) const;

private:
  struct Kernel {
    std::string name;
    std::vector<std::string> nodes; ///< Of its dispatches.
    uint64_t launches = 0, tasks = 0;
    double seconds = 0; ///< Of all threads, per run.

    /// Operations per second of one thread, or 0 if unknown.
    double flopsPerSecond(const Work &work) const;
  };

  void add(const mkrt::host::Profile &profile);
  void average(unsigned runs);
  std::vector<const Kernel *> sorted() const;

  const BoundProgram *program = nullptr;
  std::vector<Kernel> kernels;
  double threadSeconds = 0, kernelSeconds = 0; ///< Per run.
  uint64_t records = 0, tasks = 0;
};

} // namespace mkc::driver
