//===- compile-modules.cpp - Cubins of hand-written modules ---------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the checks of test/sass: compiles each MODULE (kN_name.cu) and the
// program that joins them, and writes OUT/TARGET/kN.cubin, program.cubin and
// linked.cubin.
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/Toolchain.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace mkc;
using namespace mkc::cuda;
namespace fs = std::filesystem;

/// The kernel of a module's file name and text; false for other names.
static bool describeKernel(const fs::path &path, const std::string &text,
                           ProgramKernel &kernel) {
  std::string name = path.stem();
  if (std::sscanf(name.c_str(), "k%u_", &kernel.id) != 1)
    return false;
  std::string entry = "MK_ENTRY k" + std::to_string(kernel.id);
  kernel.hasLoad = text.find(entry + "_load(") != text.npos;
  kernel.hasCompute = text.find(entry + "_compute(") != text.npos;
  kernel.nodes = "";
  return true;
}

static std::string readModules(const std::vector<std::string> &paths,
                               std::vector<CudaModule> &modules) {
  std::vector<ProgramKernel> kernels;
  for (const std::string &path : paths) {
    std::ostringstream text;
    std::ifstream file(path);
    if (!(text << file.rdbuf()))
      return path + ": cannot be read";
    ProgramKernel kernel;
    if (!describeKernel(path, text.str(), kernel))
      return path + ": the name must begin with k, a number and _";
    kernels.push_back(kernel);
    modules.push_back({"k" + std::to_string(kernel.id) + ".cu", text.str()});
  }
  modules.push_back({"program.cu", programText(kernels)});
  return "";
}

static void writeCubin(const fs::path &path, const Cubin &cubin) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(cubin->data()),
             std::streamsize(cubin->size()));
}

static std::string compileFor(CudaToolchain &toolchain,
                              const std::string &target,
                              const CompileSettings &settings,
                              std::span<const CudaModule> modules,
                              unsigned jobs, const fs::path &out) {
  std::string error;
  const CudaChip *chip = findCudaChip(target, error);
  if (!chip)
    return error;
  auto begin = std::chrono::steady_clock::now();
  CudaBuild build = toolchain.build(*chip, settings, modules, jobs);
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - begin;
  if (!build.ok())
    return target + ": " + build.format();
  fs::create_directories(out / target);
  for (size_t i = 0; i < modules.size(); ++i)
    writeCubin((out / target / modules[i].name).replace_extension(".cubin"),
               build.modules[i]);
  writeCubin(out / target / "linked.cubin", build.cubin);
  // For the checks: what the row says.
  std::printf("%s bulk=%d registers=%u pages=%u ms=%.0f bytes=%zu\n",
              target.c_str(), chip->architecture->bulkCopies,
              chip->registerBudget(), chip->pages(), time.count(),
              build.cubin->size());
  return "";
}

int main(int argc, char **argv) {
  CLI::App app("Compiles hand-written kernels for the checks of test/sass");
  std::vector<std::string> targets, paths;
  std::string out;
  CompileSettings settings;
  unsigned jobs = 2;
  app.add_option("--target", targets, "Architectures; all by default")
      ->delimiter(',');
  app.add_option("--out", out, "Folder of the results")->required();
  app.add_option("--jobs", jobs, "Threads");
  app.add_flag("--trace", settings.trace, "With tracing");
  app.add_option("MODULE", paths, "kN_name.cu")->required();
  CLI11_PARSE(app, argc, argv);
  if (targets.empty())
    for (const CudaArchitecture &architecture : cudaArchitectures())
      targets.emplace_back(architecture.name);

  std::vector<CudaModule> modules;
  std::unique_ptr<CudaToolchain> toolchain;
  std::string error = readModules(paths, modules);
  if (error.empty())
    error = CudaToolchain::create(CubinCache::defaultFolder(), toolchain);
  for (const std::string &target : targets)
    if (error.empty())
      error = compileFor(*toolchain, target, settings, modules, jobs, out);
  if (!error.empty())
    std::fprintf(stderr, "%s\n", error.c_str());
  return error.empty() ? 0 : 1;
}
