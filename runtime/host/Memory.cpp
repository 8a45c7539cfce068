//===- Memory.cpp - Memory that is mapped ---------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mkrt::host;

Mapping &Mapping::operator=(Mapping &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (data_)
    munmap(data_, size_);
}

Error Mapping::allocate(uint64_t bytes, const std::string &purpose,
                        Mapping &out) {
  if (bytes == 0)
    return {};
  void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return {ErrorCode::OutOfMemory, "cannot allocate " + std::to_string(bytes) +
                                        " bytes for " + purpose + ": " +
                                        std::strerror(errno)};
  // Only a hint: fewer TLB misses on large arenas.
  madvise(p, bytes, MADV_HUGEPAGE);
  Mapping mapping;
  mapping.data_ = static_cast<std::byte *>(p);
  mapping.size_ = bytes;
  out = std::move(mapping);
  return {};
}

static Error fileError(const std::string &path, const char *what) {
  return {ErrorCode::InvalidArgument,
          path + ": " + what + ": " + std::strerror(errno)};
}

Error Mapping::file(const std::string &path, Mapping &out) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fileError(path, "cannot open the file");
  struct stat info;
  Error error;
  if (fstat(fd, &info))
    error = fileError(path, "cannot read the file's size");
  else if (!S_ISREG(info.st_mode))
    error = {ErrorCode::InvalidArgument, path + ": not a regular file"};
  else if (info.st_size > 0) {
    void *p =
        mmap(nullptr, size_t(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) {
      error = fileError(path, "cannot map the file");
    } else {
      Mapping mapping;
      mapping.data_ = static_cast<std::byte *>(p);
      mapping.size_ = size_t(info.st_size);
      out = std::move(mapping);
    }
  }
  close(fd);
  return error;
}
