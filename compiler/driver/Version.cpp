//===- Version.cpp - Versions ---------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Version.h"

#include "passes/conversion/OnnxToNn/OpTable.h"
#include "runtime/format/Package.h"

#include "llvm/Config/llvm-config.h"

std::string mkc::driver::versionText() {
  return "mkc " MKC_VERSION "\npackage format " +
         std::to_string(mkrt::format::kFormatVersion) + "\nONNX opset " +
         std::to_string(kNewestOpset) + " and older\nLLVM " LLVM_VERSION_STRING;
}
