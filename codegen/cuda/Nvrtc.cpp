//===- Nvrtc.cpp - NVIDIA's run-time compiler, loaded with dlopen ---------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/Nvrtc.h"

#include "codegen/cuda/DeviceLibrary.h"
#include "codegen/cuda/SharedLibrary.h"

#include <filesystem>

using namespace mkc::cuda;

/// The functions of NVRTC that we call, with the types of its documented C
/// API. They return 0 on success.
struct Nvrtc::Api {
  using Program = void *;
  const char *(*errorString)(int);
  int (*version)(int *, int *);
  int (*architectureCount)(int *);
  int (*architectures)(int *);
  int (*create)(Program *, const char *text, const char *name, int headers,
                const char *const *headerTexts, const char *const *headerNames);
  int (*destroy)(Program *);
  int (*compile)(Program, int, const char *const *);
  int (*logSize)(Program, size_t *);
  int (*log)(Program, char *);
  int (*cubinSize)(Program, size_t *);
  int (*cubin)(Program, char *);
};

std::string Nvrtc::load(const std::string &path, Nvrtc &out) {
  SharedLibrary library(path);
  auto *api = new Api(); // as long-lived as the library
  library.find("nvrtcGetErrorString", api->errorString);
  library.find("nvrtcVersion", api->version);
  library.find("nvrtcGetNumSupportedArchs", api->architectureCount);
  library.find("nvrtcGetSupportedArchs", api->architectures);
  library.find("nvrtcCreateProgram", api->create);
  library.find("nvrtcDestroyProgram", api->destroy);
  library.find("nvrtcCompileProgram", api->compile);
  library.find("nvrtcGetProgramLogSize", api->logSize);
  library.find("nvrtcGetProgramLog", api->log);
  library.find("nvrtcGetCUBINSize", api->cubinSize);
  library.find("nvrtcGetCUBIN", api->cubin);
  if (!library.error().empty()) {
    delete api;
    return library.error();
  }
  Nvrtc nvrtc;
  nvrtc.api_ = api;
  int count = 0;
  int failed = api->version(&nvrtc.major_, &nvrtc.minor_);
  if (!failed)
    failed = api->architectureCount(&count);
  nvrtc.capabilities_.resize(count);
  if (!failed)
    failed = api->architectures(nvrtc.capabilities_.data());
  if (failed)
    return path + ": " + api->errorString(failed);
  std::error_code ignored;
  nvrtc.identity_ = "nvrtc " + nvrtc.version() + ", " +
                    std::to_string(std::filesystem::file_size(path, ignored));
  out = nvrtc;
  return "";
}

std::string Nvrtc::version() const {
  return std::to_string(major_) + "." + std::to_string(minor_);
}

namespace {
struct HeaderArrays {
  std::vector<const char *> names, texts;
};
} // namespace

static const HeaderArrays &headerArrays() {
  static const HeaderArrays arrays = [] {
    HeaderArrays made;
    for (const DeviceFile &file : deviceLibrary()) {
      made.names.push_back(file.name);
      made.texts.push_back(file.text);
    }
    return made;
  }();
  return arrays;
}

Nvrtc::Result Nvrtc::compile(const std::string &name, const std::string &text,
                             std::span<const std::string> options) const {
  Result result;
  const HeaderArrays &headers = headerArrays();
  Api::Program program = nullptr;
  int failed = api_->create(&program, text.c_str(), name.c_str(),
                            int(headers.names.size()), headers.texts.data(),
                            headers.names.data());
  if (failed) {
    result.log = api_->errorString(failed);
    return result;
  }
  std::vector<const char *> arguments;
  for (const std::string &option : options)
    arguments.push_back(option.c_str());
  failed = api_->compile(program, int(arguments.size()), arguments.data());
  size_t size = 0;
  if (api_->logSize(program, &size) == 0 && size > 1) {
    result.log.resize(size);
    api_->log(program, result.log.data());
    result.log.resize(result.log.find_last_not_of('\0') + 1);
  }
  if (!failed)
    failed = api_->cubinSize(program, &size);
  if (!failed) {
    result.cubin.resize(size);
    failed =
        api_->cubin(program, reinterpret_cast<char *>(result.cubin.data()));
  }
  if (failed) {
    result.cubin.clear();
    if (result.log.empty())
      result.log = api_->errorString(failed);
  }
  result.ok = !failed;
  api_->destroy(&program);
  return result;
}
