//===- AtomicFile.h - Output files that appear whole or not at all --------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mkrt::format {

/// Writes under a temporary name beside `path`; `commit` renames it. Without a
/// successful commit no file is left. The first error sticks, names the path
/// and the system's reason, and is returned by `commit`.
class AtomicFile {
public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  void write(std::span<const std::byte> bytes);
  void writeZeros(uint64_t count);
  /// Returns an error text, or an empty string.
  std::string commit();
  const std::string &error() const { return error_; }

private:
  void fail(const char *what);
  std::string path_, temporary_, error_;
  int fd_ = -1;
};

} // namespace mkrt::format
