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
/// successful commit no file is left, and one that was there stays as it was.
/// A symbolic link is followed: what it names is replaced. An existing file's
/// permissions are kept. Pipes and devices are written directly, for there is
/// nothing to rename. The first error sticks, names the path and the system's
/// reason, and is returned by `commit`.
class AtomicFile {
public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// The file that writing to `path` replaces or makes, links followed. Empty
  /// if nothing is replaced: a pipe, a device or a folder, or links that go
  /// round in circles.
  static std::string replacedFile(const std::string &path);

  void write(std::span<const std::byte> bytes);
  void writeZeros(uint64_t count);
  /// Returns an error text, or an empty string.
  std::string commit();
  const std::string &error() const { return error_; }

private:
  /// With the reason in errno.
  void fail(const char *what);
  std::string path_, error_;
  std::string target_;    ///< `path_` with links followed.
  std::string temporary_; ///< Empty where the target is written directly.
  int fd_ = -1;
};

} // namespace mkrt::format
