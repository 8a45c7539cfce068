//===- SharedLibrary.h - Functions of a library that may not be there -----===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <dlfcn.h>
#include <string>

namespace mkc::cuda {

/// Loads a library for the rest of the process: those of CUDA keep threads and
/// thread-local state, and are not made for being unloaded. The first error
/// sticks.
class SharedLibrary {
public:
  explicit SharedLibrary(const std::string &path)
      : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_)
      error_ = dlerror();
  }

  template <class Function>
  void find(const std::string &name, Function *&function) {
    if (!error_.empty())
      return;
    function = reinterpret_cast<Function *>(dlsym(handle_, name.c_str()));
    if (!function)
      error_ = path_ + " has no function " + name;
  }

  /// An error text, or an empty string.
  const std::string &error() const { return error_; }

private:
  std::string path_, error_;
  void *handle_;
};

} // namespace mkc::cuda
