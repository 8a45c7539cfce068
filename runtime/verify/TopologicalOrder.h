//===- TopologicalOrder.h - An order of all records -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/verify/Report.h"

#include <vector>

namespace mkrt::verify {

/// Checks the sums of the counters, orders the records so that each comes
/// behind its queue's earlier records and behind all that signal a counter it
/// waits for, and checks that the ranks are such an order too. Level by level:
/// the order advances all queues evenly, which lets the scan forget early.
///
/// A signal of amount 0 orders nothing.
Problem orderRecords(const format::PackageView &view,
                     std::vector<uint32_t> &order);

} // namespace mkrt::verify
