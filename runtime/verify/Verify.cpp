//===- Verify.cpp - Proving a schedule safe -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Verify.h"

#include "runtime/verify/Footprints.h"
#include "runtime/verify/Groups.h"
#include "runtime/verify/OwnOperands.h"
#include "runtime/verify/Scan.h"
#include "runtime/verify/TopologicalOrder.h"

#include <chrono>

using namespace mkrt;
using namespace mkrt::verify;
using namespace mkrt::format;

/// A row of clocks is as long as there are queues with records, and each of
/// them has one.
static constexpr uint32_t kMaxLanes = 1 << 14;

std::string_view mkrt::verify::failureName(Failure failure) {
  switch (failure) {
  case Failure::None:
    return "none";
  case Failure::Unsupported:
    return "unsupported";
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

/// What the other steps prove holds for these records only.
static Problem checkMeaning(const PackageView &view) {
  for (uint32_t r = 0; r < view.records().size(); ++r) {
    const Record &record = view.records()[r];
    if (record.opcode != Opcode::Run)
      return {Failure::Unsupported,
              recordText(view, r) + " has opcode " +
                  std::to_string(unsigned(record.opcode)) +
                  ", the verifier knows " +
                  std::to_string(unsigned(Opcode::Run)) + " (run) only"};
    for (Handoff handoff : record.handoff)
      if (handoff != Handoff::Counter)
        return {
            Failure::Unsupported,
            recordText(view, r) + " has hand-off kind " +
                std::to_string(unsigned(handoff)) + ", the verifier knows " +
                std::to_string(unsigned(Handoff::Counter)) + " (counter) only"};
  }
  return {};
}

/// The steps, each relying on those before it.
static Problem runSteps(const format::PackageView &view,
                        const VerifyOptions &options,
                        VerifyStatistics &statistics) {
  if (Problem problem = checkMeaning(view))
    return problem;
  if (uint32_t lanes = Lanes(view).count(); lanes > kMaxLanes)
    return {Failure::TooLarge, "the schedule has " + std::to_string(lanes) +
                                   " queues with records, the verifier takes " +
                                   std::to_string(kMaxLanes)};
  Effort effort(options.comparisonSteps + options.comparisonStepsPerRecord *
                                              int64_t(view.records().size()));
  BoxTable boxes;
  Footprints footprints(view, boxes);
  if (Problem problem = footprints.evaluate())
    return problem;
  statistics.boxes = boxes.size();
  statistics.tiles = footprints.tileCount();

  std::vector<uint32_t> order;
  if (Problem problem = orderRecords(view, order))
    return problem;

  OwnOperands ownOperands(view, boxes, footprints, effort);
  for (uint32_t record : order)
    if (Problem problem = ownOperands.check(record))
      return problem;

  Groups groups(view, boxes, footprints, options, effort);
  groups.assign(order);
  statistics.touches = groups.touchCount();
  statistics.groups = groups.size();
  statistics.templates = groups.templateCount();

  Scan scan(view, boxes, footprints, groups, options, effort);
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
