//===- DeviceLibrary.h - The device code that is part of mkc --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <span>
#include <string_view>

namespace mkc::cuda {

/// A header as device code includes it.
struct DeviceFile {
  const char *name; ///< "mk.cuh", "runtime/format/Record.h", "cstdint"
  const char *text;
};

/// All headers that a module needs, built into the binary: an installed mkc
/// needs no source tree.
std::span<const DeviceFile> deviceLibrary();

} // namespace mkc::cuda
