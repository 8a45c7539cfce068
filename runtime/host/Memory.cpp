//===- Memory.cpp - Memory that is mapped ---------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Memory.h"

#include "runtime/format/RegularFile.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace mkrt;
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

Error Mapping::file(const std::string &path, Mapping &out) {
  format::RegularFile file;
  if (std::string error = file.open(path); !error.empty())
    return {ErrorCode::InvalidArgument, std::move(error)};
  Mapping mapping;
  if (file.size() > 0) {
    void *p = mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE,
                   file.descriptor(), 0);
    if (p == MAP_FAILED)
      return {ErrorCode::InvalidArgument,
              path + ": cannot map the file: " + std::strerror(errno)};
    mapping.data_ = static_cast<std::byte *>(p);
    mapping.size_ = file.size();
  }
  out = std::move(mapping);
  return {};
}
