//===- MachinePeak.cpp - What this machine can do -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each loop runs several times on all threads at once; the fastest counts,
// because whatever disturbs a measurement makes it slower.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/MachinePeak.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

using namespace mkc::driver;
using Clock = std::chrono::steady_clock;

namespace {
template <unsigned Lanes>
using Vector [[gnu::vector_size(Lanes * sizeof(float))]] = float;
} // namespace

//===----------------------------------------------------------------------===//
// Loops, for the vectors of each CPU
//===----------------------------------------------------------------------===//

/// Independent sums enough to hide the latency of an FMA; the compiler
/// contracts the product and the sum. Returns the operations done.
template <unsigned Lanes, unsigned Sums>
[[gnu::always_inline]] inline double multiplyAdd(uint64_t steps) {
  using V = Vector<Lanes>;
  V sums[Sums] = {}, factor = V{} + 0.999f, term = V{} + 0.001f;
  asm volatile("" : "+m"(factor), "+m"(term));
  for (uint64_t i = 0; i < steps; ++i) {
#pragma clang loop unroll(full)
    for (V &sum : sums)
      sum = sum * factor + term;
  }
#pragma clang loop unroll(full)
  for (V &sum : sums)
    asm volatile("" : : "m"(sum));
  return 2.0 * Lanes * Sums * steps;
}

template <unsigned Lanes>
[[gnu::always_inline]] inline void readAll(const float *data, size_t count) {
  using V = Vector<Lanes>;
  constexpr unsigned unroll = 8;
  V sums[unroll] = {};
  for (size_t i = 0; i + unroll * Lanes <= count; i += unroll * Lanes) {
#pragma clang loop unroll(full)
    for (unsigned u = 0; u < unroll; ++u)
      sums[u] += *reinterpret_cast<const V *>(data + i + u * Lanes);
  }
#pragma clang loop unroll(full)
  for (V &sum : sums)
    asm volatile("" : : "m"(sum));
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] static double multiplyAdd512(uint64_t steps) {
  return multiplyAdd<16, 16>(steps);
}
[[gnu::target("avx2,fma")]] static double multiplyAdd256(uint64_t steps) {
  return multiplyAdd<8, 12>(steps);
}
[[gnu::target("avx512f")]] static void read512(const float *p, size_t n) {
  readAll<16>(p, n);
}
[[gnu::target("avx2")]] static void read256(const float *p, size_t n) {
  readAll<8>(p, n);
}
#endif
static double multiplyAdd128(uint64_t steps) {
  return multiplyAdd<4, 12>(steps);
}
static void read128(const float *p, size_t n) { readAll<4>(p, n); }

namespace {
struct Loops {
  double (*multiplyAdd)(uint64_t steps) = multiplyAdd128;
  void (*read)(const float *data, size_t count) = read128;

  Loops() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
      multiplyAdd = multiplyAdd512;
      read = read512;
    } else if (__builtin_cpu_supports("avx2") &&
               __builtin_cpu_supports("fma")) {
      multiplyAdd = multiplyAdd256;
      read = read256;
    }
#endif
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// The seconds of the fastest of several rounds, in each of which every thread
/// does `work` once.
static double fastestRound(unsigned threads, unsigned rounds,
                           const std::function<void(unsigned)> &work) {
  std::barrier<> barrier(threads);
  double fastest = 1e30;
  auto run = [&](unsigned thread) {
    for (unsigned round = 0; round < rounds; ++round) {
      barrier.arrive_and_wait();
      Clock::time_point start = Clock::now();
      work(thread);
      barrier.arrive_and_wait();
      if (thread == 0)
        fastest = std::min(
            fastest,
            std::chrono::duration<double>(Clock::now() - start).count());
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < threads; ++t)
    others.emplace_back(run, t);
  run(0);
  return fastest;
}

MachinePeak mkc::driver::measureMachinePeak(unsigned threads,
                                            uint64_t footprint) {
  constexpr uint64_t leastBytes = 1 << 16, mostBytes = 1 << 30;
  constexpr uint64_t bytesPerRound = 1 << 28, steps = 1 << 20;
  constexpr unsigned rounds = 8;
  Loops loops;
  double operations = loops.multiplyAdd(1) * steps * threads;
  double seconds = fastestRound(threads, rounds,
                                [&](unsigned) { loops.multiplyAdd(steps); });
  MachinePeak peak;
  peak.flopsPerSecond = operations / seconds;

  uint64_t bytes = std::clamp(footprint, leastBytes, mostBytes) / threads;
  size_t count = std::max<uint64_t>(bytes / sizeof(float) / 128, 1) * 128;
  struct alignas(64) Line {
    float values[16];
  };
  std::vector<std::vector<Line>> data(threads);
  unsigned repeats =
      std::max<uint64_t>(bytesPerRound / (count * sizeof(float) * threads), 1);
  seconds = fastestRound(threads, rounds, [&](unsigned thread) {
    if (data[thread].empty()) // the first round: pages near their reader
      data[thread].resize(count / 16, Line{});
    for (unsigned r = 0; r < repeats; ++r)
      loops.read(data[thread].data()->values, count);
  });
  peak.bytesPerSecond =
      double(count) * sizeof(float) * repeats * threads / seconds;
  return peak;
}
