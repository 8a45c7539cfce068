//===- Npz.h - Named arrays as numpy saves them ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/Tensor.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mkrt::io {

/// Tensors in the order of the archive, by name without ".npy".
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Reads the members "NAME.npy" of a .npz file whose names are wanted; others
/// are not looked at, so they may hold what no tensor can. A wanted name must
/// be there once at most. Returns an error text that names the file and the
/// member, or an empty string.
std::string readNpz(const std::string &path,
                    const std::function<bool(const std::string &name)> &wanted,
                    NamedTensors &out);

/// The same for all members "NAME.npy".
std::string readNpz(const std::string &path, NamedTensors &out);

/// Names may hold anything but must differ. Returns an error text, or an empty
/// string; on an error no file is left.
std::string
writeNpz(const std::string &path,
         std::span<const std::pair<std::string, const Tensor *>> tensors);

} // namespace mkrt::io
