//===- Verify.cpp - Proving a schedule safe -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Verify.h"

#include "runtime/verify/Footprints.h"
#include "runtime/verify/Groups.h"
#include "runtime/verify/Scan.h"
#include "runtime/verify/TopologicalOrder.h"

#include <chrono>

using namespace mkrt;
using namespace mkrt::verify;

/// A row of clocks is as long as there are queues, and each queue has one.
static constexpr uint32_t kMaxQueues = 1 << 14;

std::string_view mkrt::verify::failureName(Failure failure) {
  switch (failure) {
  case Failure::None:
    return "none";
  case Failure::Overflow:
    return "overflow";
  case Failure::Bounds:
    return "bounds";
  case Failure::ReadOnly:
    return "readonly";
  case Failure::Starved:
    return "starved";
  case Failure::Oversignalled:
    return "oversignalled";
  case Failure::Deadlock:
    return "deadlock";
  case Failure::Rank:
    return "rank";
  case Failure::Race:
    return "race";
  case Failure::TooLarge:
    return "too large";
  }
  return "unknown";
}

/// The steps, each relying on those before it.
static Problem runSteps(const format::PackageView &view,
                        const VerifyOptions &options,
                        VerifyStatistics &statistics) {
  if (view.program().queueCount > kMaxQueues)
    return {Failure::TooLarge,
            "the schedule has " + std::to_string(view.program().queueCount) +
                " queues, the verifier takes " + std::to_string(kMaxQueues)};
  BoxTable boxes;
  Footprints footprints(view, boxes);
  if (Problem problem = footprints.evaluate())
    return problem;
  statistics.boxes = boxes.size();
  statistics.tiles = footprints.tileCount();

  std::vector<uint32_t> order;
  if (Problem problem = orderRecords(view, order))
    return problem;

  Groups groups(view, boxes, footprints, options);
  groups.assign(order);
  statistics.touches = groups.touchCount();
  statistics.groups = groups.size();
  statistics.templates = groups.templateCount();

  Scan scan(view, boxes, footprints, groups, options);
  Problem problem = scan.run(order);
  statistics.exactTests = scan.exactTests();
  return problem;
}

VerifyResult mkrt::verify::verifySchedule(const format::PackageView &view,
                                          const VerifyOptions &options) {
  auto start = std::chrono::steady_clock::now();
  VerifyResult result;
  result.statistics.records = view.records().size();
  for (const format::Record &record : view.records())
    result.statistics.waits += record.waitCount;
  Problem problem = runSteps(view, options, result.statistics);
  result.ok = !problem;
  result.failure = problem.failure;
  result.message = std::move(problem.message);
  result.statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}
