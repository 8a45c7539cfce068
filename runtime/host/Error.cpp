//===- Error.cpp - Errors of the runtime ----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Error.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

using namespace mkrt::host;

Error mkrt::host::currentException() {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return {ErrorCode::OutOfMemory, "out of memory"};
  } catch (const std::length_error &error) { // A container beyond any memory.
    return {ErrorCode::OutOfMemory,
            std::string("out of memory: ") + error.what()};
  } catch (const std::system_error &error) {
    return {ErrorCode::System, error.what()};
  } catch (const std::exception &error) {
    return {ErrorCode::Internal,
            std::string("unexpected exception: ") + error.what()};
  } catch (...) {
    return {ErrorCode::Internal, "unexpected exception of unknown type"};
  }
}
