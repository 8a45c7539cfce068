//===- Interrupt.cpp - A clean end on Ctrl-C ------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The signals are blocked everywhere and taken by a thread of their own, which
// is free to do what a signal handler must not.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Interrupt.h"

#include "runtime/format/AtomicFile.h"
#include "runtime/io/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <csignal>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace mkc::driver;

namespace {
struct Cleanups {
  std::mutex mutex;
  std::list<std::function<void()>> actions;
};
} // namespace

static Cleanups &cleanups() {
  static Cleanups all;
  return all;
}

void mkc::driver::handleInterrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  cleanups(); // exists before, and so after, the thread
  std::thread([signals] {
    int signal;
    sigwait(&signals, &signal);
    // Held to the end: nothing that is being cleaned up goes away meanwhile.
    std::lock_guard lock(cleanups().mutex);
    for (const auto &action : cleanups().actions)
      action();
    _exit(128 + signal);
  }).detach();
}

InterruptCleanup::InterruptCleanup(std::function<void()> action) {
  std::lock_guard lock(cleanups().mutex);
  entry =
      cleanups().actions.insert(cleanups().actions.end(), std::move(action));
}

InterruptCleanup::~InterruptCleanup() {
  std::lock_guard lock(cleanups().mutex);
  cleanups().actions.erase(entry);
}

void mkc::driver::removeTemporaries(const std::string &output) {
  std::string path = mkrt::format::AtomicFile::replacedFile(output);
  if (path.empty())
    return;
  std::string folder = llvm::sys::path::parent_path(path).str();
  if (folder.empty())
    folder = ".";
  std::string prefix = llvm::sys::path::filename(path).str() + ".tmp." +
                       std::to_string(getpid()) + ".";
  std::vector<std::string> names;
  mkrt::io::listFolder(folder, prefix, "", names);
  for (const std::string &name : names)
    llvm::sys::fs::remove(folder + "/" + name);
}
