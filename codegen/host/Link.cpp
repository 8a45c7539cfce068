//===- Link.cpp - Objects to one shared object ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Lower.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <dlfcn.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace {
/// A folder that is removed with everything in it.
class TemporaryFolder {
public:
  std::error_code create() {
    return sys::fs::createUniqueDirectory("mkc-link", path);
  }
  ~TemporaryFolder() {
    if (!path.empty())
      (void)sys::fs::remove_directories(path);
  }
  std::string file(const Twine &name) const {
    SmallString<128> full(path);
    sys::path::append(full, name);
    return full.str().str();
  }

private:
  SmallString<128> path;
};
} // namespace

static std::string writeFile(const std::string &path, StringRef bytes) {
  std::error_code code;
  raw_fd_ostream stream(path, code);
  if (!code) {
    stream << bytes;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  return code ? path + ": " + code.message() : "";
}

/// The shared library that this process has fmodf from. Kernels may call what
/// LLVM has no instructions for.
static std::string mathLibrary() {
  Dl_info info;
  float (*function)(float, float) = &fmodf;
  if (!dladdr(reinterpret_cast<void *>(function), &info) || !info.dli_fname)
    return "";
  return info.dli_fname;
}

std::string mkc::host::linkObjects(ArrayRef<std::string> objects,
                                   std::vector<std::byte> &shared) {
  // lld keeps global state.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  TemporaryFolder folder;
  if (std::error_code code = folder.create())
    return "temporary folder: " + code.message();
  std::vector<std::string> files;
  for (const auto &[i, object] : llvm::enumerate(objects)) {
    files.push_back(folder.file(Twine(i) + ".o"));
    if (std::string error = writeFile(files.back(), object); !error.empty())
      return error;
  }
  std::string output = folder.file("kernels.so");
  std::vector<const char *> arguments{
      "ld.lld",       "-shared", "--no-undefined", "--gc-sections", "-s", "-o",
      output.c_str(), "-z",      "noexecstack"};
  for (const std::string &file : files)
    arguments.push_back(file.c_str());
  std::string math = mathLibrary();
  if (!math.empty())
    llvm::append_range(arguments, std::initializer_list<const char *>{
                                      "--as-needed", math.c_str()});
  std::string messages;
  raw_string_ostream stream(messages);
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return "linking the host kernels failed: " + messages;
  auto buffer = MemoryBuffer::getFile(output, /*IsText=*/false);
  if (!buffer)
    return output + ": " + buffer.getError().message();
  auto *bytes =
      reinterpret_cast<const std::byte *>((*buffer)->getBufferStart());
  shared.assign(bytes, bytes + (*buffer)->getBufferSize());
  return "";
}
