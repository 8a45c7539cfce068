//===- Files.h - Whole files and folders ----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mkrt::io {

/// Reads a regular file (pipes and devices are refused: they may never end).
/// Returns an error text that names it, or an empty string.
std::string readFile(const std::string &path, std::vector<std::byte> &out);

/// True if `a` comes before `b` when runs of digits compare as numbers:
/// "input_2.pb" before "input_10.pb".
bool naturalLess(const std::string &a, const std::string &b);

/// Names (not paths) in a folder that start and end like this, in natural
/// order. Returns an error text, or an empty string.
std::string listFolder(const std::string &folder, const std::string &prefix,
                       const std::string &suffix,
                       std::vector<std::string> &names);

} // namespace mkrt::io
