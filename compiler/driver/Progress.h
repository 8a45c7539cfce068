//===- Progress.h - A line of progress on terminals -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Interrupt.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace mkc::driver {

/// Shows what is going on on standard error, if that is a terminal and the work
/// takes more than a second. The line goes when the object goes.
class Progress {
public:
  Progress();
  ~Progress();

  void setText(std::string text);
  /// Removes the line, so that something else can be printed; it comes back.
  void clear();

private:
  void show();
  void eraseLine();

  std::mutex mutex;
  std::condition_variable wake;
  std::string text;
  bool isShown = false;
  bool done = false;
  std::thread thread;
  InterruptCleanup cleanup{[this] { clear(); }};
};

} // namespace mkc::driver
