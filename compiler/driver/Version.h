//===- Version.h - Versions -----------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace mkc::driver {

/// The versions of mkc, its package format, LLVM and ONNX's newest opset.
std::string versionText();

} // namespace mkc::driver
