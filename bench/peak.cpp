//===- peak.cpp - The FMA peak of one core --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the best rate of f32 multiply-adds over several tries, in GFLOP/s: 16
// independent chains of vectors as wide as any CPU has.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

constexpr int kChains = 16, kLanes = 16;
constexpr long kSteps = 2000000;

typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));

double gflopsOfOneTry() {
  Vector sums[kChains] = {};
  Vector a = Vector{} + 0.999f, b = Vector{} + 0.1f;
  auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < kSteps; ++i)
    for (Vector &sum : sums)
      sum = sum * a + b;
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  for (Vector &sum : sums)
    asm volatile("" : : "m"(sum));
  return 2e-9 * kSteps * kChains * kLanes / seconds.count();
}

} // namespace

int main() {
  double best = 0;
  for (int i = 0; i < 10; ++i)
    best = std::max(best, gflopsOfOneTry());
  std::printf("%.1f\n", best);
}
