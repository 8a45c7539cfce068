//===- Toolchain.cpp - From modules to one cubin --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/Toolchain.h"

#include "codegen/cuda/DeviceLibrary.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace mkc;
using namespace mkc::cuda;

std::string CudaBuild::format() const {
  std::string text = error;
  for (const CudaDiagnostic &diagnostic : diagnostics)
    if (diagnostic.isError)
      text += (text.empty() ? "" : "\n") + diagnostic.format();
  return text;
}

std::string CudaToolchain::create(std::string cacheFolder,
                                  std::unique_ptr<CudaToolchain> &out) {
  out.reset(new CudaToolchain(std::move(cacheFolder)));
  std::string error = loadLibraries(out->libraries_);
  if (!error.empty())
    out.reset();
  return error;
}

/// Before anything is compiled: a message that names the versions helps more
/// than the compiler's own.
std::string CudaToolchain::checkArchitecture(const CudaChip &chip) const {
  const CudaArchitecture &a = *chip.architecture;
  std::span<const int> known = libraries_.nvrtc.capabilities();
  if (std::find(known.begin(), known.end(), int(a.major * 10 + a.minor)) !=
      known.end())
    return "";
  std::string list;
  for (int capability : known)
    list += (list.empty() ? "sm_" : ", sm_") + std::to_string(capability);
  return libraries_.describe() + " cannot compile for " + std::string(a.name) +
         ", only for " + list +
         "; a newer one is in the Python package "
         "nvidia-cuda-nvrtc";
}

/// What every module's result depends on beside its own text.
static std::vector<std::string>
commonParts(const CudaLibraries &libraries,
            std::span<const std::string> options) {
  std::vector<std::string> parts = {libraries.nvrtc.identity()};
  parts.insert(parts.end(), options.begin(), options.end());
  for (const DeviceFile &file : deviceLibrary()) {
    parts.push_back(file.name);
    parts.push_back(file.text);
  }
  return parts;
}

static CubinKey hashStrings(std::span<const std::string> strings) {
  std::vector<std::string_view> views(strings.begin(), strings.end());
  return hashTexts(views);
}

/// Runs `work(i)` for all i < count, on up to `jobs` threads.
template <class Work>
static void runParallel(size_t count, unsigned jobs, Work work) {
  std::atomic<size_t> next{0};
  auto loop = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;)
      work(i);
  };
  std::vector<std::thread> threads;
  for (size_t t = 1; t < std::min<size_t>(jobs, count); ++t)
    threads.emplace_back(loop);
  loop();
  for (std::thread &thread : threads)
    thread.join();
}

void CudaToolchain::compileMissing(std::span<const CudaModule> modules,
                                   std::span<const CubinKey> keys,
                                   std::span<const std::string> options,
                                   unsigned jobs, CudaBuild &build) {
  std::vector<size_t> missing;
  for (size_t i = 0; i < modules.size(); ++i) {
    build.modules[i] = cache_.find(keys[i]);
    if (!build.modules[i])
      missing.push_back(i);
  }
  build.compiled = unsigned(missing.size());
  std::vector<std::vector<CudaDiagnostic>> messages(missing.size());
  runParallel(missing.size(), jobs, [&](size_t m) {
    size_t i = missing[m];
    const CudaModule &module = modules[i];
    Nvrtc::Result result =
        libraries_.nvrtc.compile(module.name, module.text, options);
    messages[m] = parseCompileLog(result.log, module.name, module.text);
    if (!result.ok) {
      // A failure always shows, even if the log has no error.
      if (std::none_of(messages[m].begin(), messages[m].end(),
                       [](const CudaDiagnostic &d) { return d.isError; }))
        messages[m].push_back({true, module.name, 0,
                               "NVRTC failed without an error message", "",
                               ""});
      return;
    }
    build.modules[i] =
        std::make_shared<const std::vector<std::byte>>(std::move(result.cubin));
    cache_.insert(keys[i], build.modules[i]);
  });
  for (std::vector<CudaDiagnostic> &list : messages)
    std::move(list.begin(), list.end(), std::back_inserter(build.diagnostics));
}

CudaBuild CudaToolchain::build(const CudaChip &chip,
                               const CompileSettings &settings,
                               std::span<const CudaModule> modules,
                               unsigned jobs) {
  CudaBuild build;
  build.error = checkArchitecture(chip);
  if (!build.error.empty())
    return build;
  std::vector<std::string> options = compileOptions(chip, settings);
  const std::string common =
      hashStrings(commonParts(libraries_, options)).text();
  std::vector<CubinKey> keys;
  std::vector<std::string> linkParts = {libraries_.nvJitLink.identity()};
  for (const CudaModule &module : modules) {
    keys.push_back(hashStrings(std::vector{common, module.name, module.text}));
    linkParts.push_back(keys.back().text());
  }
  build.modules.resize(modules.size());
  compileMissing(modules, keys, options, jobs, build);
  if (std::count(build.modules.begin(), build.modules.end(), nullptr))
    return build;

  CubinKey linkKey = hashStrings(linkParts);
  build.cubin = cache_.find(linkKey);
  if (build.cubin)
    return build;
  std::vector<NvJitLink::Input> inputs;
  for (size_t i = 0; i < modules.size(); ++i)
    inputs.push_back({modules[i].name, *build.modules[i]});
  NvJitLink::Result result =
      libraries_.nvJitLink.link(chip.architecture->name, inputs);
  if (!result.ok) {
    build.error = "linking for " + std::string(chip.architecture->name) + ": " +
                  result.log;
    return build;
  }
  build.cubin =
      std::make_shared<const std::vector<std::byte>>(std::move(result.cubin));
  cache_.insert(linkKey, build.cubin);
  return build;
}
