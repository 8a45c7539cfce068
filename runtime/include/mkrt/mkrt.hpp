//===- mkrt.hpp - Running compiled models from C++ ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mkrt/mkrt.h"

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace mkrt {

/// What a failed call throws: the code and the message of its status.
class Exception : public std::runtime_error {
public:
  Exception(mkrt_code code, const char *message)
      : std::runtime_error(message), code_(code) {}
  mkrt_code code() const { return code_; }

private:
  mkrt_code code_;
};

/// Throws if `status` is an error; releases it.
inline void check(mkrt_status status) {
  if (!status)
    return;
  Exception exception(mkrt_status_code(status), mkrt_status_message(status));
  mkrt_status_release(status);
  throw exception;
}

/// An owned handle of the C interface. Movable; the rules for threads are those
/// of mkrt.h.
template <typename Raw, void (*release)(Raw)> class Handle {
public:
  explicit Handle(Raw raw = nullptr) : raw_(raw) {}
  Handle(Handle &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle &operator=(Handle &&other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() { release(raw_); }
  Raw get() const { return raw_; }

private:
  Raw raw_;
};

/// One input or output.
struct TensorInfo {
  std::string name;
  int32_t type;
  std::span<const int64_t> shape; ///< Valid as long as the program.
  uint64_t bytes;
};

class Program {
public:
  static Program load(const std::string &path) {
    mkrt_program raw;
    check(mkrt_program_load_file(path.c_str(), &raw));
    return Program(raw);
  }
  static Program load(std::span<const std::byte> bytes,
                      mkrt_ownership ownership = MKRT_COPY) {
    mkrt_program raw;
    check(
        mkrt_program_load_memory(bytes.data(), bytes.size(), ownership, &raw));
    return Program(raw);
  }

  uint32_t inputCount() const { return mkrt_program_input_count(get()); }
  uint32_t outputCount() const { return mkrt_program_output_count(get()); }
  TensorInfo input(uint32_t index) const {
    return info(mkrt_program_input_info, index);
  }
  TensorInfo output(uint32_t index) const {
    return info(mkrt_program_output_info, index);
  }
  /// Verifies the schedule again; throws if it is refused.
  void verify() const { check(mkrt_program_check(get())); }
  mkrt_program get() const { return handle_.get(); }

private:
  explicit Program(mkrt_program raw) : handle_(raw) {}
  TensorInfo info(mkrt_status (*query)(mkrt_program, uint32_t,
                                       mkrt_tensor_info *),
                  uint32_t index) const {
    mkrt_tensor_info raw;
    check(query(get(), index, &raw));
    return {raw.name, raw.type, {raw.dims, raw.rank}, raw.bytes};
  }
  Handle<mkrt_program, mkrt_program_release> handle_;
};

class Context {
public:
  explicit Context(const Program &program) {
    mkrt_context raw;
    check(mkrt_context_create(program.get(), &raw));
    handle_ = Handle<mkrt_context, mkrt_context_release>(raw);
  }

  void bindInput(uint32_t index, const void *data) {
    check(mkrt_context_bind_input(get(), index, data));
  }
  void bindOutput(uint32_t index, void *data) {
    check(mkrt_context_bind_output(get(), index, data));
  }
  /// The context's own buffers.
  template <typename T = std::byte> T *input(uint32_t index) {
    return static_cast<T *>(mkrt_context_input_buffer(get(), index));
  }
  template <typename T = std::byte> T *output(uint32_t index) {
    return static_cast<T *>(mkrt_context_output_buffer(get(), index));
  }
  void setParameter(uint32_t slot, int64_t value) {
    check(mkrt_context_set_parameter(get(), slot, value));
  }
  void resetState() { mkrt_context_reset_state(get()); }
  void run(uint32_t threads = 0, uint32_t stallLimitMs = 0) {
    mkrt_run_options options{sizeof options, threads, stallLimitMs};
    check(mkrt_context_run(get(), &options));
  }
  mkrt_context get() const { return handle_.get(); }

private:
  Handle<mkrt_context, mkrt_context_release> handle_;
};

} // namespace mkrt
