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

#include <span>
#include <string>
#include <vector>

namespace mkrt::cli {

/// Splits `--input NAME=WHAT`: the index of NAME in `names`, the inputs of the
/// model. A name may hold '=', so each split is tried. Returns an error text,
/// or an empty string.
std::string splitInput(const std::string &spec,
                       std::span<const std::string> names, size_t &index,
                       std::string &what);

/// Reads a .npy or .pb file (a TensorProto), as its name says. Returns an error
/// text that names the file, or an empty string.
std::string readInputFile(const std::string &path, io::Tensor &tensor);

/// The inputs of a program in its order: given ones from files, checked for
/// type and shape, the others random. Returns an error text, or an empty
/// string.
std::string prepareInputs(const format::PackageView &view,
                          const RunOptions &options,
                          std::vector<io::Tensor> &out);

/// Zeroed tensors for the outputs, in their order. Returns an error text (no
/// memory), or an empty string.
std::string allocateOutputs(const format::PackageView &view,
                            std::vector<io::Tensor> &out);

} // namespace mkrt::cli
