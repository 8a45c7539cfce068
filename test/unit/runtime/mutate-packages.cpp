//===- mutate-packages.cpp - Mutants of real packages ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Files.h"
#include "runtime/verify/Verify.h"
#include "test/unit/runtime/Oracle.h"
#include "test/unit/runtime/mutate.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

using namespace mkrt::format;
using namespace mkrt::test;
using namespace mkrt::verify;

namespace {
struct Totals {
  uint64_t refused = 0, equivalent = 0, missed = 0, wrong = 0;
  std::map<std::string, uint64_t> failures;

  void add(const Totals &other) {
    refused += other.refused;
    equivalent += other.equivalent;
    missed += other.missed;
    wrong += other.wrong;
    for (const auto &[name, n] : other.failures)
      failures[name] += n;
  }
  void print(const std::string &name) const {
    std::printf("%s: %llu refused, %llu equivalent, %llu missed, %llu wrongly "
                "refused;",
                name.c_str(), (unsigned long long)refused,
                (unsigned long long)equivalent, (unsigned long long)missed,
                (unsigned long long)wrong);
    for (const auto &[failure, n] : failures)
      std::printf(" %s %llu", failure.c_str(), (unsigned long long)n);
    std::printf("\n");
    std::fflush(stdout);
  }
};
} // namespace

/// The reader has refused what it cannot open: no judge is needed.
static void judgeMutant(const PackageView &view, const std::string &what,
                        Totals &totals) {
  VerifyResult result = verifySchedule(view);
  bool sound = judge(view, /*allPairs=*/false) == Verdict::Sound;
  ++totals.failures[std::string(failureName(result.failure))];
  (sound       ? result.ok ? totals.equivalent : totals.wrong
   : result.ok ? totals.missed
               : totals.refused)++;
  if (sound != result.ok)
    std::printf("  %s: %s: %s\n", sound ? "WRONGLY REFUSED" : "MISSED",
                what.c_str(), result.message.c_str());
}

static bool mutatePackage(const std::string &path, uint64_t count,
                          uint64_t seed, Totals &totals) {
  std::vector<std::byte> file;
  std::string error = mkrt::io::readFile(path, file);
  PackageView view;
  if (error.empty())
    error = PackageView::open(file, view);
  if (!error.empty()) {
    std::fprintf(stderr, "%s: error: %s\n", path.c_str(), error.c_str());
    return false;
  }
  PackageParts base = view.parts();
  base.hostObject.clear(); // Not needed, and slow to copy.
  // The weights' values don't matter: zeros. A vector is aligned to 16.
  const std::vector<std::byte> unchanged =
      encodePackage(base, {}, view.weights().size());
  error = PackageView::open(unchanged, view);
  if (error.empty())
    judgeMutant(view, "unchanged", totals);
  if (totals.equivalent != 1) {
    std::fprintf(stderr, "%s: error: the schedule itself is refused\n",
                 path.c_str());
    return false;
  }
  totals = {};
  Random random(seed);
  // What the reader refuses, or what is the same schedule again, is no mutant
  // that the verifier could fail on: another one is drawn.
  for (uint64_t i = 0; i < count;) {
    PackageParts parts = base;
    std::optional<std::string> what = mutate(parts, random);
    if (!what)
      continue;
    std::vector<std::byte> bytes =
        encodePackage(parts, {}, view.weights().size());
    PackageView mutant;
    if (bytes == unchanged || !PackageView::open(bytes, mutant).empty())
      continue;
    judgeMutant(mutant, *what, totals);
    ++i;
  }
  return true;
}

int main(int argc, char **argv) {
  CLI::App app("Damages the schedules of packages and compares the verifier's "
               "verdicts with those of a brute-force oracle.",
               "mutate-packages");
  std::vector<std::string> paths;
  uint64_t count = 100, seed = 1;
  app.add_option("packages", paths, "Packages to damage")->required();
  app.add_option("--count", count, "Mutants of each");
  app.add_option("--seed", seed, "Seed of the mutations");
  CLI11_PARSE(app, argc, argv);
  bool ok = true;
  Totals all;
  for (const std::string &path : paths) {
    Totals totals;
    ok &= mutatePackage(path, count, seed, totals);
    totals.print(path);
    all.add(totals);
  }
  if (paths.size() > 1)
    all.print("in all");
  return ok && all.missed == 0 && all.wrong == 0 ? 0 : 1;
}
