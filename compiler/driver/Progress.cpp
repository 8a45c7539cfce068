//===- Progress.cpp - A line of progress on terminals ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Progress.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

using namespace mkc::driver;

Progress::Progress() {
  if (isatty(STDERR_FILENO))
    thread = std::thread([this] { show(); });
}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  wake.notify_all();
  if (thread.joinable())
    thread.join();
  clear();
}

void Progress::setText(std::string next) {
  std::lock_guard lock(mutex);
  text = std::move(next);
}

void Progress::clear() {
  std::lock_guard lock(mutex);
  eraseLine();
}

void Progress::eraseLine() {
  if (isShown)
    std::fputs("\r\x1b[K", stderr);
  isShown = false;
}

void Progress::show() {
  using namespace std::chrono_literals;
  auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex);
  for (auto wait = 1000ms; !wake.wait_for(lock, wait, [&] { return done; });
       wait = 200ms) {
    eraseLine();
    if (text.empty())
      continue;
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "%s (%.0f s)", text.c_str(), seconds.count());
    std::fflush(stderr);
    isShown = true;
  }
}
