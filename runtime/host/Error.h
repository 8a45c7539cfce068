//===- Error.h - Errors of the runtime ------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace mkrt::host {

enum class ErrorCode : uint8_t {
  Ok = 0,
  InvalidArgument = 1, ///< The caller's fault: a bad index, size or option.
  BadPackage = 2,      ///< Damaged, or not a package.
  Unsupported = 3,     ///< A sound package that this machine cannot run.
  OutOfMemory = 4,
  IndexFault = 5,   ///< An index from data was out of its bound.
  Stalled = 6,      ///< The watchdog ended the run.
  Schedule = 7,     ///< A counter got more or fewer signals than it must.
  Busy = 8,         ///< Another thread runs the same context.
  System = 9,       ///< The system refused something (a thread, a file).
  CheckFailed = 10, ///< The schedule verifier refused the package.
  Internal = 11,    ///< An exception that nobody expects.
};

/// A result without a value; true if it is an error.
struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::Ok;
  std::string message;

  explicit operator bool() const { return code != ErrorCode::Ok; }
};

/// The exception that is being handled, as an error. Call in a catch block. May
/// throw std::bad_alloc for the text.
Error currentException();

} // namespace mkrt::host
