//===- NvJitLink.cpp - NVIDIA's linker, loaded with dlopen ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/NvJitLink.h"

#include "codegen/cuda/SharedLibrary.h"

#include <cstdint>
#include <filesystem>

using namespace mkc::cuda;

/// The functions of nvJitLink that we call, with the types of its documented C
/// API. They return 0 on success.
struct NvJitLink::Api {
  using Handle = void *;
  static constexpr int kInputCubin = 1;
  int (*create)(Handle *, uint32_t, const char **);
  int (*destroy)(Handle *);
  int (*addData)(Handle, int, const void *, size_t, const char *);
  int (*complete)(Handle);
  int (*cubinSize)(Handle, size_t *);
  int (*cubin)(Handle, void *);
  int (*logSize)(Handle, size_t *);
  int (*log)(Handle, char *);
};

std::string NvJitLink::load(const std::string &path, NvJitLink &out) {
  SharedLibrary library(path);
  int (*version)(unsigned *, unsigned *) = nullptr;
  library.find("nvJitLinkVersion", version);
  if (!library.error().empty())
    return library.error();
  NvJitLink linker;
  if (int failed = version(&linker.major_, &linker.minor_))
    return path + ": nvJitLinkVersion returned " + std::to_string(failed);
  // The names of all other functions carry the version.
  std::string suffix =
      "_" + std::to_string(linker.major_) + "_" + std::to_string(linker.minor_);
  auto *api = new Api(); // as long-lived as the library
  library.find("__nvJitLinkCreate" + suffix, api->create);
  library.find("__nvJitLinkDestroy" + suffix, api->destroy);
  library.find("__nvJitLinkAddData" + suffix, api->addData);
  library.find("__nvJitLinkComplete" + suffix, api->complete);
  library.find("__nvJitLinkGetLinkedCubinSize" + suffix, api->cubinSize);
  library.find("__nvJitLinkGetLinkedCubin" + suffix, api->cubin);
  library.find("__nvJitLinkGetErrorLogSize" + suffix, api->logSize);
  library.find("__nvJitLinkGetErrorLog" + suffix, api->log);
  if (!library.error().empty()) {
    delete api;
    return library.error();
  }
  linker.api_ = api;
  std::error_code ignored;
  linker.identity_ = "nvjitlink " + linker.version() + ", " +
                     std::to_string(std::filesystem::file_size(path, ignored));
  out = linker;
  return "";
}

std::string NvJitLink::version() const {
  return std::to_string(major_) + "." + std::to_string(minor_);
}

NvJitLink::Result NvJitLink::link(std::string_view architecture,
                                  std::span<const Input> inputs) const {
  Result result;
  std::string target = "-arch=" + std::string(architecture);
  const char *options[] = {target.c_str(), "-lineinfo"};
  Api::Handle handle = nullptr;
  int failed = api_->create(&handle, 2, options);
  if (failed) {
    result.log =
        "nvJitLinkCreate(" + target + ") returned " + std::to_string(failed);
    return result;
  }
  for (const Input &input : inputs)
    if (!failed)
      failed = api_->addData(handle, Api::kInputCubin, input.cubin.data(),
                             input.cubin.size(), input.name.c_str());
  if (!failed)
    failed = api_->complete(handle);
  size_t size = 0;
  if (!failed)
    failed = api_->cubinSize(handle, &size);
  if (!failed) {
    result.cubin.resize(size);
    failed = api_->cubin(handle, result.cubin.data());
  }
  if (failed) {
    result.cubin.clear();
    if (api_->logSize(handle, &size) == 0 && size > 1) {
      result.log.resize(size);
      api_->log(handle, result.log.data());
      result.log.resize(result.log.find_last_not_of('\0') + 1);
    }
    if (result.log.empty())
      result.log = "nvJitLink returned " + std::to_string(failed);
  }
  result.ok = !failed;
  api_->destroy(&handle);
  return result;
}
