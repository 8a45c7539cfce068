//===- NvJitLink.h - NVIDIA's linker, loaded with dlopen ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mkc::cuda {

/// A loaded nvJitLink. Copyable; stays loaded until the process ends. Linking
/// is thread-safe.
class NvJitLink {
public:
  /// Loads the library file. Returns an error text, or an empty string.
  static std::string load(const std::string &path, NvJitLink &out);

  unsigned major() const { return major_; }
  unsigned minor() const { return minor_; }
  std::string version() const;
  /// Names the very library, for cache keys: version and size of the file.
  const std::string &identity() const { return identity_; }

  struct Input {
    std::string name; ///< For messages.
    std::span<const std::byte> cubin;
  };
  struct Result {
    std::vector<std::byte> cubin; ///< Empty on an error.
    std::string log;
    bool ok = false;
  };
  Result link(std::string_view architecture,
              std::span<const Input> inputs) const;

private:
  struct Api;
  const Api *api_ = nullptr;
  unsigned major_ = 0, minor_ = 0;
  std::string identity_;
};

} // namespace mkc::cuda
