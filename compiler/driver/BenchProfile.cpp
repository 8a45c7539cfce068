//===- BenchProfile.cpp - Times of kernels and records --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/BenchProfile.h"

#include "nlohmann/json.hpp"

#include <algorithm>
#include <tuple>

using namespace mkc::driver;
using mkrt::host::Profile;
using nlohmann::ordered_json;

static double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// What a record's two looks at the clock add to the time outside kernels.
static double clockSeconds() {
  constexpr unsigned looks = 1000;
  Profile::Clock::time_point begin = Profile::Clock::now(), end = begin;
  for (unsigned i = 0; i < looks; ++i)
    end = Profile::Clock::now();
  return seconds(end - begin) / looks;
}

mkrt::host::Error BenchProfile::measure(BoundProgram &bound, unsigned threads) {
  constexpr unsigned fewestRuns = 3, mostRuns = 100;
  constexpr std::chrono::milliseconds longEnough(500);
  program = &bound;
  const mkrt::format::PackageView &view = bound.view();
  for (const mkrt::format::KernelInfo &info : view.kernels())
    kernels.emplace_back().name = view.string(info.symbol);
  for (const mkrt::format::DispatchInfo &dispatch : view.dispatches()) {
    Kernel &kernel = kernels[dispatch.kernel];
    ++kernel.launches;
    kernel.nodes.emplace_back(view.string(dispatch.name));
  }
  records = view.records().size();
  for (const mkrt::format::Record &record : view.records())
    tasks += record.tileCount;
  Profile profile;
  Profile::Clock::time_point start = Profile::Clock::now();
  unsigned runs = 0;
  do {
    if (mkrt::host::Error error = bound.run(threads, &profile))
      return error;
    add(profile);
    ++runs;
  } while (runs < fewestRuns ||
           (runs < mostRuns && Profile::Clock::now() - start < longEnough));
  average(runs);
  return {};
}

void BenchProfile::add(const Profile &profile) {
  const mkrt::format::PackageView &view = program->view();
  threadSeconds += seconds(profile.duration()) * profile.workers();
  for (size_t w = 0; w < profile.workers(); ++w)
    for (const Profile::Sample &sample : profile.samples(w)) {
      Kernel &kernel = kernels[view.records()[sample.record].kernel];
      kernel.tasks += view.records()[sample.record].tileCount;
      kernel.seconds += seconds(sample.end - sample.begin);
    }
}

void BenchProfile::average(unsigned runs) {
  threadSeconds /= runs;
  for (Kernel &kernel : kernels) {
    kernel.tasks /= runs;
    kernel.seconds /= runs;
    kernelSeconds += kernel.seconds;
  }
}

double BenchProfile::overheadPerRecord() const {
  if (!records)
    return 0;
  double outside = threadSeconds - kernelSeconds - records * clockSeconds();
  return std::max(outside, 0.0) / records * 1e9;
}

double BenchProfile::overheadPerTask() const {
  return tasks ? overheadPerRecord() * records / tasks : 0;
}

double BenchProfile::kernelShare() const {
  return threadSeconds > 0 ? kernelSeconds / threadSeconds : 0;
}

double BenchProfile::Kernel::flopsPerSecond(const Work &work) const {
  auto flops = work.kernels.find(name);
  if (flops == work.kernels.end() || seconds <= 0)
    return 0;
  return double(flops->second) * launches / seconds;
}

std::vector<const BenchProfile::Kernel *> BenchProfile::sorted() const {
  std::vector<const Kernel *> result;
  for (const Kernel &kernel : kernels)
    if (kernel.launches)
      result.push_back(&kernel);
  std::sort(result.begin(), result.end(), [](const Kernel *a, const Kernel *b) {
    return std::tie(b->seconds, a->name) < std::tie(a->seconds, b->name);
  });
  return result;
}

/// The first nodes tell what a kernel does.
static std::string someOf(const std::vector<std::string> &nodes) {
  constexpr size_t most = 2;
  std::string text;
  for (size_t i = 0; i < std::min(nodes.size(), most); ++i)
    text += (i ? ", " : "") + nodes[i];
  if (nodes.size() > most)
    text += " and " + std::to_string(nodes.size() - most) + " more";
  return text;
}

void BenchProfile::printKernels(const Work &work) const {
  std::printf("\n%-10s %6s %8s %10s %10s %7s %9s  %s\n", "kernel", "calls",
              "tasks", "total ms", "mean us", "share", "GFLOP/s", "nodes");
  for (const Kernel *kernel : sorted()) {
    double rate = kernel->flopsPerSecond(work) / 1e9;
    std::printf("%-10s %6llu %8llu %10.4f %10.3f %6.1f%% %9s  %s\n",
                kernel->name.c_str(),
                static_cast<unsigned long long>(kernel->launches),
                static_cast<unsigned long long>(kernel->tasks),
                kernel->seconds * 1e3, kernel->seconds / kernel->launches * 1e6,
                kernelSeconds > 0 ? kernel->seconds / kernelSeconds * 100 : 0,
                rate > 0 ? std::to_string(rate).substr(0, 6).c_str() : "-",
                someOf(kernel->nodes).c_str());
  }
}

ordered_json BenchProfile::kernelsToJson(const Work &work) const {
  ordered_json list = ordered_json::array();
  for (const Kernel *kernel : sorted()) {
    ordered_json entry = {
        {"kernel", kernel->name},
        {"calls", kernel->launches},
        {"tasks", kernel->tasks},
        {"total_ms", kernel->seconds * 1e3},
        {"mean_us", kernel->seconds / kernel->launches * 1e6},
        {"share", kernelSeconds > 0 ? kernel->seconds / kernelSeconds : 0}};
    if (double rate = kernel->flopsPerSecond(work); rate > 0)
      entry["gflops"] = rate / 1e9;
    entry["nodes"] = kernel->nodes;
    list.push_back(std::move(entry));
  }
  return list;
}
