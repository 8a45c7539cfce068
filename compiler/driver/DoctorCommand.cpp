//===- DoctorCommand.cpp - mkc doctor -------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/Libraries.h"
#include "codegen/host/Lower.h"
#include "compiler/driver/Commands.h"
#include "compiler/driver/Version.h"
#include "runtime/host/Cpu.h"

#include "nlohmann/json.hpp"
#include "llvm/Support/Program.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <dlfcn.h>

using namespace mkrt::cli;

namespace {
/// One thing that was looked for.
struct Finding {
  std::string name;
  bool found;
  std::string detail; ///< What was found, or what to do.
};
} // namespace

static Finding findCpu() {
  mkc::host::HostCpu cpu;
  std::string error = mkc::host::resolveCpu("native", cpu);
  return {"cpu", error.empty(),
          error.empty()
              ? cpu.name + ", " + std::to_string(mkrt::host::availableCpus()) +
                    " threads"
              : error};
}

static Finding findGpu() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return {"gpu", false,
            "no NVIDIA driver (libcuda.so.1): models run on the CPU"};
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto count =
      reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  if (!init || init(0) || !count || count(&devices) || !devices)
    return {"gpu", false, "a driver, but no GPU: models run on the CPU"};
  return {"gpu", true,
          std::to_string(devices) +
              " found; this version compiles for the host only"};
}

static Finding findCudaCompiler() {
  mkc::cuda::CudaLibraries libraries;
  std::string error = mkc::cuda::loadLibraries(libraries);
  return {"nvrtc", error.empty(), error.empty() ? libraries.describe() : error};
}

static std::string pythonName() {
  const char *python = std::getenv("MKC_PYTHON");
  return python ? python : "python3";
}

/// Asks Python for a package's version.
static Finding findPackage(const std::string &package, const char *purpose) {
  std::string python = pythonName();
  auto path = llvm::sys::findProgramByName(python);
  if (!path)
    return {package, false,
            "no " + python + ": set MKC_PYTHON, or install python3"};
  std::string script = "import importlib.util as u, sys\n"
                       "sys.exit(u.find_spec('" +
                       package + "') is None)";
  bool found = llvm::sys::ExecuteAndWait(*path, {*path, "-c", script}) == 0;
  return {package, found,
          found ? "in " + *path + ", " + purpose
                : "not in " + *path + "; install it with pip for " + purpose};
}

static ExitCode diagnose(bool asJson) {
  std::vector<Finding> findings = {
      findCpu(), findGpu(), findCudaCompiler(),
      findPackage("onnxruntime", "--vs=onnxruntime"),
      findPackage("openvino", "--vs=openvino")};
  if (asJson) {
    nlohmann::ordered_json json;
    for (const Finding &finding : findings)
      json[finding.name] = {{"found", finding.found},
                            {"detail", finding.detail}};
    std::puts(json.dump().c_str());
    return Success;
  }
  std::printf("%s\n\n", mkc::driver::versionText().c_str());
  for (const Finding &finding : findings)
    std::printf("%-12s %-4s %s\n", finding.name.c_str(),
                finding.found ? "yes" : "no", finding.detail.c_str());
  return Success;
}

void mkc::driver::addDoctorCommand(CLI::App &app, ExitCode &result) {
  auto json = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand(
      "doctor", "Shows what was found on this machine, and what is missing");
  command->footer("Example:\n  mkc doctor");
  command->add_flag("--json", *json, "Print results as JSON");
  command->callback([json, &result] { result = diagnose(*json); });
}
