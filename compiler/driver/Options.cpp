//===- Options.cpp - Options of commands on models ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

using namespace mkc::driver;

static void addTargetOptions(CLI::App &app, ModelOptions &options) {
  app.add_option("--target", options.targets,
                 "What to compile for: host, an architecture (sm_90a), a chip "
                 "(sm_90a:h200), or auto: the GPU that is there, else host")
      ->type_name("T[,T...]")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--mode", options.mode,
                 "One persistent kernel, a graph of kernels (not in this "
                 "version), or what pays")
      ->check(CLI::IsMember({"mega", "graph", "auto"}))
      ->capture_default_str();
  app.add_option("--host-cpu", options.hostCpu,
                 "CPU that host code is made for, as LLVM names it")
      ->type_name("CPU")
      ->capture_default_str();
  app.add_option_function<uint64_t>(
         "--simulate",
         [&options](uint64_t seed) {
           options.simulate = true;
           options.simulateSeed = seed;
         },
         "Run a CUDA target in the simulator")
      ->type_name("[SEED]")
      ->expected(0, 1)
      ->default_str("0");
}

static void addNumericsOptions(CLI::App &app, ModelOptions &options) {
  app.add_option("--memory", options.memory,
                 "Reuse memory where it costs nothing (fast), or everywhere "
                 "(min: not in this version)")
      ->check(CLI::IsMember({"min", "fast"}))
      ->capture_default_str();
  app.add_flag("--allow-tf32", options.allowTf32,
               "Multiply f32 matrices with fewer bits, where a target can; the "
               "host always computes in f32");
  app.add_flag("--allow-bf16", options.allowBf16,
               "Multiply f32 matrices as bf16, where a target can; the host "
               "always computes in f32");
  app.add_flag("--seeded-weights", options.seededWeights,
               "Replace weights by seeds, made at load (for benchmarks)");
}

static void addCompilerOptions(CLI::App &app, ModelOptions &options) {
  app.add_option("--jobs", options.jobs, "Threads that compile")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 16));
  app.add_flag("--remarks", options.remarks, "Print the reasons for choices");
  app.add_flag("--profile-compile", options.profileCompile,
               "Print the time of each phase");
  app.add_option("--dump-phases-to", options.dumpPhasesTo,
                 "Write the IR after each phase into a folder")
      ->type_name("DIR");
  app.add_option("--dump-reproducer", options.dumpReproducer,
                 "Write what an internal error needs to be seen again")
      ->type_name("DIR");
}

void mkc::driver::addModelOptions(CLI::App &app, ModelOptions &options) {
  std::vector<const CLI::Option *> before = std::as_const(app).get_options();
  app.add_option("--dim", options.dims,
                 "Binds a dim by name, or an anonymous one as INPUT:AXIS=N; "
                 "NAME=LOW..HIGH bounds it. May be repeated")
      ->type_name("NAME=N")
      ->expected(1)
      ->take_all();
  app.add_option("--state", options.states,
                 "Hands an output of a run to an input of the next")
      ->type_name("OUT=IN")
      ->expected(1)
      ->take_all();
  addTargetOptions(app, options);
  addNumericsOptions(app, options);
  addCompilerOptions(app, options);
  for (CLI::Option *option : app.get_options())
    if (std::ranges::find(before, option) == before.end()) {
      option->group("Options of the compilation");
      options.declared.push_back(option);
    }
}

void mkc::driver::addUnusedThreads(CLI::App &app) {
  app.add_option_function<unsigned>(
         "--threads", [](unsigned) {},
         "Threads of the runs. Changes nothing here: what is compiled runs "
         "with any number")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 16));
}

void mkc::driver::addModelArgument(CLI::App &app, std::string &path) {
  app.add_option("model", path, "A model, or a package that mkc has compiled")
      ->type_name("MODEL.onnx|PKG.mkp")
      ->required();
}

static bool isHost(const std::string &target) {
  return target == "auto" || target == "host";
}

const mkc::CudaChip *mkc::driver::gpuTarget(const ModelOptions &options) {
  std::string error;
  const std::string &target = options.targets.front();
  return isHost(target) ? nullptr : findCudaChip(target, error);
}

std::string mkc::driver::checkModelOptions(const ModelOptions &options,
                                           bool mayBeGpu) {
  std::string error;
  for (const std::string &target : options.targets) {
    if (isHost(target))
      continue;
    if (!findCudaChip(target, error))
      return "--target=" + target + ": " + error;
    if (!mayBeGpu)
      return "--target=" + target +
             ": this version runs on the host only; mkc compile "
             "--emit-cuda=DIR "
             "writes CUDA text";
  }
  if (options.targets.size() != 1)
    return "--target: this version compiles for one target at a time";
  if (options.mode == "graph")
    return "--mode=graph: this version makes no graphs of kernels, only "
           "persistent kernels (--mode=mega)";
  if (options.memory == "min")
    return "--memory=min: this version reuses memory only where that costs "
           "nothing (--memory=fast)";
  if (options.simulate)
    return "--simulate: this version has no CUDA targets to simulate";
  if (!options.states.empty())
    return "--state " + options.states.front() +
           ": this version does not keep state between runs";
  if (options.seededWeights)
    return "--seeded-weights: this version only compiles real weights";
  return {};
}

std::string mkc::driver::checkPackageOptions(const ModelOptions &options) {
  for (const CLI::Option *option : options.declared)
    if (option->count() != 0)
      return option->get_name() +
             " is for models: a package is compiled already";
  return {};
}
