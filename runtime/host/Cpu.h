//===- Cpu.h - What the CPU and the system offer --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <set>
#include <string>

namespace mkrt::host {

/// The CPU's features, as /proc/cpuinfo names them ("flags", on Arm
/// "Features").
const std::set<std::string> &cpuFeatures();

/// The CPUs that the affinity mask and the cgroup quotas allow; at least 1.
unsigned availableCpus();

/// Tells the CPU that this is a spinning loop.
inline void spinPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

} // namespace mkrt::host
