//===- RegularFile.h - Opening files to read ------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace mkrt::format {

/// A regular file, open for reading.
class RegularFile {
public:
  RegularFile() = default;
  ~RegularFile();
  RegularFile(const RegularFile &) = delete;
  RegularFile &operator=(const RegularFile &) = delete;

  /// Refuses pipes, devices and folders, without waiting for anybody to write
  /// into them. Returns an error text that names the path, or an empty string.
  std::string open(const std::string &path);

  int descriptor() const { return fd_; }
  uint64_t size() const { return size_; }

private:
  int fd_ = -1;
  uint64_t size_ = 0;
};

} // namespace mkrt::format
