//===- SharedObject.h - A host object in memory, loaded -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/host/Error.h"

#include <cstddef>
#include <span>

namespace mkrt::host {

/// An ELF shared object loaded from bytes. Its code runs in this process.
class SharedObject {
public:
  SharedObject() = default;
  SharedObject(const SharedObject &) = delete;
  SharedObject &operator=(const SharedObject &) = delete;
  ~SharedObject();

  Error load(std::span<const std::byte> bytes);
  /// Null if the object has no such symbol.
  void *symbol(const std::string &name) const;

private:
  void *handle_ = nullptr;
  /// Kept open: the loader recognises objects by their path, /proc/self/fd/N,
  /// so N must not be used again while the object is loaded.
  int fd_ = -1;
};

} // namespace mkrt::host
