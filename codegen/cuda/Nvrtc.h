//===- Nvrtc.h - NVIDIA's run-time compiler, loaded with dlopen -----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mkc::cuda {

/// A loaded NVRTC. Copyable; stays loaded until the process ends. Compiling is
/// thread-safe.
class Nvrtc {
public:
  /// Loads the library file. Returns an error text, or an empty string.
  static std::string load(const std::string &path, Nvrtc &out);

  int major() const { return major_; }
  int minor() const { return minor_; }
  std::string version() const;
  /// Names the very library, for cache keys: version and size of the file.
  const std::string &identity() const { return identity_; }
  /// Compute capabilities that it compiles for: 90 stands for sm_90 and sm_90a.
  std::span<const int> capabilities() const { return capabilities_; }

  struct Result {
    std::vector<std::byte> cubin; ///< Empty on an error.
    std::string log;              ///< Errors and warnings.
    bool ok = false;
  };
  /// Compiles a module, with the device library as its headers.
  Result compile(const std::string &name, const std::string &text,
                 std::span<const std::string> options) const;

private:
  struct Api;
  const Api *api_ = nullptr;
  int major_ = 0, minor_ = 0;
  std::string identity_;
  std::vector<int> capabilities_;
};

} // namespace mkc::cuda
