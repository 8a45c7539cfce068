//===- Subprocess.h - A child process that answers lines ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace mkc::driver {

/// A child that reads lines on standard input and answers on standard output;
/// its standard error is ours. It ends with the object. Functions return an
/// error text, or an empty string.
class Subprocess {
public:
  Subprocess() = default;
  ~Subprocess();
  Subprocess(const Subprocess &) = delete;
  Subprocess &operator=(const Subprocess &) = delete;

  /// Looks the program up in PATH.
  std::string start(const std::vector<std::string> &command);
  std::string writeLine(const std::string &line);
  /// Waits for the next line. An error if the child ends without one.
  std::string readLine(std::string &line);

private:
  pid_t child = -1;
  int input = -1, output = -1; ///< The child's.
  std::string pending;
};

} // namespace mkc::driver
