//===- RunOptions.cpp - Options of run commands ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/RunOptions.h"

#include <CLI/CLI.hpp>

using namespace mkrt::cli;

void mkrt::cli::addRunOptions(CLI::App &app, RunOptions &options) {
  app.add_option("--inputs", options.inputsFile,
                 "Take inputs by name from a .npz file (other arrays in it are "
                 "ignored)")
      ->type_name("CASE.npz");
  app.add_option("--input", options.inputs,
                 "One input: NAME=FILE.npy, NAME=FILE.pb, NAME=zeros or "
                 "NAME=random[:SEED[:LO:HI]]; may be repeated. Inputs that are "
                 "not given are random: floats in [-1, 1), integers 0 or 1")
      ->type_name("NAME=WHAT")
      ->expected(1)
      ->take_all();
  app.add_option("--outputs", options.outputsFile,
                 "Write the outputs of the last run to a .npz file")
      ->type_name("OUT.npz");
  app.add_option("--runs", options.runs, "How often to run")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 30));
  app.add_option("--threads", options.threads,
                 "Threads of the run (default: the CPUs that affinity and "
                 "cgroups allow)")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 16));
  app.add_option("--stall-limit", options.stallLimit,
                 "Seconds without progress after which a run is an error")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  app.add_flag("--check", options.check,
               "Verify the schedule again before running");
  app.add_flag("--json", options.json, "Print results as JSON");
}
