//===- Link.cpp - Objects to one shared object ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linker takes file names only. Objects are memory files and the output is
// a pipe, both named by their descriptors, so nothing is left behind whenever
// the process ends.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Lower.h"

#include "lld/Common/Driver.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace {
/// Owns a file descriptor.
class Descriptor {
public:
  explicit Descriptor(int fd) : fd(fd) {}
  Descriptor(Descriptor &&other) : fd(std::exchange(other.fd, -1)) {}
  ~Descriptor() { close(); }

  void close() {
    if (fd >= 0)
      ::close(fd);
    fd = -1;
  }
  int get() const { return fd; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd); }

private:
  int fd;
};
} // namespace

static bool writeAll(int fd, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes = bytes.drop_front(written);
  }
  return true;
}

static std::vector<std::byte> readAll(int fd) {
  std::vector<std::byte> bytes;
  std::vector<std::byte> chunk(1 << 16);
  while (true) {
    ssize_t count = ::read(fd, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return bytes;
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + count);
  }
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

static std::string link(ArrayRef<Descriptor> inputs,
                        const std::string &output) {
  std::vector<std::string> paths;
  for (const Descriptor &input : inputs)
    paths.push_back(input.path());
  std::vector<const char *> arguments{
      "ld.lld",       "-shared", "--no-undefined", "--gc-sections", "-s", "-o",
      output.c_str(), "-z",      "noexecstack"};
  for (const std::string &path : paths)
    arguments.push_back(path.c_str());
  std::string math = mathLibrary();
  if (!math.empty())
    llvm::append_range(arguments, std::initializer_list<const char *>{
                                      "--as-needed", math.c_str()});
  std::string messages;
  raw_string_ostream stream(messages);
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  return result.retCode == 0 ? "" : messages;
}

std::string mkc::host::linkObjects(ArrayRef<std::string> objects,
                                   std::vector<std::byte> &shared) {
  // lld keeps global state.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  auto failure = [](const std::string &reason) {
    return "linking the host kernels failed: " + reason;
  };
  std::vector<Descriptor> inputs;
  for (const std::string &object : objects) {
    inputs.emplace_back(::memfd_create("mkc-object", MFD_CLOEXEC));
    if (inputs.back().get() < 0 || !writeAll(inputs.back().get(), object))
      return failure(std::strerror(errno));
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return failure(std::strerror(errno));
  Descriptor reader(ends[0]), writer(ends[1]);
  std::thread drain([&] { shared = readAll(reader.get()); });
  std::string messages = link(inputs, writer.path());
  writer.close();
  drain.join();
  if (!messages.empty())
    return failure(messages);
  return shared.empty() ? failure("no output") : "";
}
