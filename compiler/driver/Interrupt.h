//===- Interrupt.h - A clean end on Ctrl-C --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <list>
#include <string>

namespace mkc::driver {

/// Makes SIGINT and SIGTERM end the process after all cleanups, with exit code
/// 128 + signal. To be called before the first thread starts.
void handleInterrupts();

/// Something to undo when the process is interrupted, while the object lives.
class InterruptCleanup {
public:
  explicit InterruptCleanup(std::function<void()> action);
  ~InterruptCleanup();
  InterruptCleanup(const InterruptCleanup &) = delete;
  InterruptCleanup &operator=(const InterruptCleanup &) = delete;

private:
  std::list<std::function<void()>>::iterator entry;
};

/// Removes what mkrt::format::AtomicFile writes for `path` under a temporary
/// name.
void removeTemporaries(const std::string &path);

} // namespace mkc::driver
