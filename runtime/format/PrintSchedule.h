//===- PrintSchedule.h - Schedules as text --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"

#include <functional>
#include <string_view>

namespace mkrt::format {

/// Prints a checked package's kernels with their access programs and its
/// records by queue, for people. `write` gets whole lines with their line
/// breaks, a kernel or a record at a time: a schedule may have a million.
void printSchedule(const PackageView &view,
                   const std::function<void(std::string_view)> &write);

} // namespace mkrt::format
