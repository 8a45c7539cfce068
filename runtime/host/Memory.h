//===- Memory.h - Memory that is mapped -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/host/Error.h"

#include <cstddef>
#include <span>
#include <utility>

namespace mkrt::host {

/// A private mapping, aligned to a page: zeroed memory or a file's bytes.
class Mapping {
public:
  Mapping() = default;
  Mapping(Mapping &&other) noexcept { *this = std::move(other); }
  Mapping &operator=(Mapping &&other) noexcept;
  ~Mapping();

  /// Zeroed memory, given by the system page by page when it is touched.
  static Error allocate(uint64_t bytes, const std::string &purpose,
                        Mapping &out);
  /// The file's bytes, read-only. The file must not shrink while it is mapped.
  static Error file(const std::string &path, Mapping &out);

  std::byte *data() const { return data_; }
  size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

private:
  std::byte *data_ = nullptr;
  size_t size_ = 0;
};

} // namespace mkrt::host
