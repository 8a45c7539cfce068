//===- Inputs.h - The inputs of a run -------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cli/RunOptions.h"
#include "runtime/format/Package.h"
#include "runtime/io/Tensor.h"

#include <string>
#include <vector>

namespace mkrt::cli {

/// The inputs of a program in its order: given ones from files, checked for
/// type and shape, the others random. Returns an error text, or an empty
/// string.
std::string prepareInputs(const format::PackageView &view,
                          const RunOptions &options,
                          std::vector<io::Tensor> &out);

/// Zeroed tensors for the outputs.
std::string allocateOutputs(const format::PackageView &view,
                            std::vector<io::Tensor> &out);

} // namespace mkrt::cli
