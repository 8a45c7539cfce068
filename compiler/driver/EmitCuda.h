//===- EmitCuda.h - The CUDA text of a compilation ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Phases.h"
#include "runtime/cli/ExitCode.h"

namespace mkc::driver {

/// Writes the modules of the variants for a GPU, kN_VARIANT.cu, and program.cu,
/// which joins them, into `folder`, which is made if it isn't there. Needs the
/// phase "variants". Prints diagnostics.
mkrt::cli::ExitCode writeCuda(CompileState &state, const std::string &folder);

} // namespace mkc::driver
