//===- Program.h - The module that joins a program's kernels --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/CudaChip.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mkc::cuda {

/// A kernel of a program, with a module of its own.
struct ProgramKernel {
  unsigned id;       ///< As in records; unique in the program.
  bool hasLoad;      ///< The module defines kN_load.
  bool hasCompute;   ///< The module defines kN_compute.
  std::string nodes; ///< What it is made of; any text.
};

/// The text of the program's module: prototypes of the kernels, the switches
/// over them, and the persistent kernel.
std::string programText(std::span<const ProgramKernel> kernels);

/// Text that may stand in a // comment, whatever a model calls its nodes: one
/// line, without a backslash that would join the next one to it.
std::string commentText(std::string_view text);

/// What all modules of a program must be compiled with alike.
struct CompileSettings {
  bool trace = false; ///< Record the times of records (docs/cuda.md).
};

/// NVRTC's options for modules that are made for a chip.
std::vector<std::string> compileOptions(const CudaChip &chip,
                                        const CompileSettings &settings);

} // namespace mkc::cuda
