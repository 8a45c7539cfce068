//===- PackageCheck.h - Checks of a package's content ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"

namespace mkrt::format {

/// Checks every index and every number that later readers rely on, in a view
/// whose sections have the right sizes. Returns an error text, or an empty
/// string.
std::string checkContent(const PackageView &view);

} // namespace mkrt::format
