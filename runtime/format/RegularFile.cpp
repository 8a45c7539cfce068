//===- RegularFile.cpp - Opening files to read ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/RegularFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mkrt::format;

RegularFile::~RegularFile() {
  if (fd_ >= 0)
    close(fd_);
}

std::string RegularFile::open(const std::string &path) {
  auto failed = [&](const char *what) {
    return path + ": " + what + ": " + std::strerror(errno);
  };
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0)
    return failed("cannot open the file");
  struct stat info;
  if (fstat(fd_, &info))
    return failed("cannot read the file's size");
  if (!S_ISREG(info.st_mode))
    return path + ": not a regular file";
  size_ = uint64_t(info.st_size);
  return {};
}
