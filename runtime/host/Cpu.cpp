//===- Cpu.cpp - What the CPU and the system offer ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Cpu.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sched.h>
#include <sstream>
#include <thread>

using namespace mkrt::host;

static std::set<std::string> readFeatures() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features"))
      continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::set<std::string> features;
    for (std::string word; words >> word;)
      features.insert(word);
    return features;
  }
  return {};
}

const std::set<std::string> &mkrt::host::cpuFeatures() {
  static const std::set<std::string> features = readFeatures();
  return features;
}

static unsigned affinityCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return unsigned(CPU_COUNT(&set));
  return std::thread::hardware_concurrency(); // More CPUs than cpu_set_t holds.
}

/// CPUs that a cgroup v2 `cpu.max` file allows ("max 100000", "150000 100000").
static std::optional<double> quotaV2(const std::filesystem::path &folder) {
  std::ifstream file(folder / "cpu.max");
  double quota, period;
  if (file >> quota >> period && quota > 0 && period > 0)
    return quota / period;
  return std::nullopt;
}

static std::optional<double> quotaV1(const std::filesystem::path &folder) {
  std::ifstream quotaFile(folder / "cpu.cfs_quota_us");
  std::ifstream periodFile(folder / "cpu.cfs_period_us");
  double quota, period;
  if (quotaFile >> quota && periodFile >> period && quota > 0 && period > 0)
    return quota / period;
  return std::nullopt;
}

/// The least quota of the process's cgroup and its parents.
static std::optional<double> cgroupQuota() {
  std::optional<double> least;
  auto walk = [&](const std::string &root, std::string path, auto quota) {
    for (;;) {
      if (std::optional<double> q = quota(std::filesystem::path(root + path)))
        least = std::min(least.value_or(*q), *q);
      if (path.empty() || path == "/")
        return;
      path.resize(path.rfind('/'));
    }
  };
  std::ifstream file("/proc/self/cgroup"); // Lines "id:controllers:/path".
  for (std::string line; std::getline(file, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos ||
        second + 1 >= line.size() || line[second + 1] != '/')
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (controllers.empty())
      walk("/sys/fs/cgroup", path, quotaV2);
    else if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      walk("/sys/fs/cgroup/cpu", path, quotaV1);
  }
  return least;
}

unsigned mkrt::host::availableCpus() {
  unsigned cpus = affinityCpus();
  if (std::optional<double> quota = cgroupQuota())
    cpus = std::min(cpus, unsigned(std::max(1.0, std::ceil(*quota))));
  return std::max(cpus, 1u);
}
