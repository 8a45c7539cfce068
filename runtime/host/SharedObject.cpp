//===- SharedObject.cpp - A host object in memory, loaded -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/SharedObject.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mkrt::host;

SharedObject::~SharedObject() {
  if (handle_)
    dlclose(handle_);
  if (fd_ >= 0)
    close(fd_);
}

static Error systemError(const char *what) {
  return {ErrorCode::System,
          std::string(what) + " for the host object: " + std::strerror(errno)};
}

Error SharedObject::load(std::span<const std::byte> bytes) {
  fd_ = memfd_create("mkrt-host-object", MFD_CLOEXEC);
  if (fd_ < 0)
    return systemError("cannot create a memory file");
  while (!bytes.empty()) {
    constexpr size_t kChunk = size_t(1) << 30;
    ssize_t n = write(fd_, bytes.data(), std::min(bytes.size(), kChunk));
    if (n >= 0)
      bytes = bytes.subspan(size_t(n));
    else if (errno != EINTR)
      return systemError("cannot write a memory file");
  }
  std::string path = "/proc/self/fd/" + std::to_string(fd_);
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) {
    const char *reason = dlerror();
    return {ErrorCode::BadPackage,
            std::string("cannot load the host object: ") +
                (reason ? reason : "unknown reason")};
  }
  return {};
}

void *SharedObject::symbol(const std::string &name) const {
  return dlsym(handle_, name.c_str());
}
