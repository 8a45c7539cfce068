//===- mkrt.cpp - The C interface of the runtime --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mkrt/mkrt.h"

#include "runtime/host/Context.h"
#include "runtime/verify/Verify.h"

#include <cstring>
#include <deque>
#include <new>

using namespace mkrt;
using host::Error;
using host::ErrorCode;

struct mkrt_status_s {
  Error error;
  bool isStatic = false; ///< Not to be released: there was no memory for one.
};

struct mkrt_program_s {
  std::shared_ptr<const host::Program> program;
  std::deque<std::string> names; ///< Of the ports, with a terminating zero.
};

struct mkrt_context_s {
  std::unique_ptr<host::Context> context;
};

//===----------------------------------------------------------------------===//
// Status
//===----------------------------------------------------------------------===//

static_assert(MKRT_CHECK_FAILED == int(ErrorCode::CheckFailed) &&
                  MKRT_STALLED == int(ErrorCode::Stalled) &&
                  MKRT_INTERNAL == int(ErrorCode::Internal),
              "the codes are those of the runtime");

/// For when there is no memory for a status.
static mkrt_status_s noMemory{{ErrorCode::OutOfMemory, "out of memory"}, true};

static mkrt_status statusOf(Error error) noexcept {
  if (!error)
    return nullptr;
  auto *status = new (std::nothrow) mkrt_status_s;
  if (!status)
    return &noMemory;
  status->error = std::move(error);
  return status;
}

/// Calls what may throw: exceptions must not reach C.
template <typename Body> static mkrt_status guarded(Body body) noexcept {
  try {
    return statusOf(body());
  } catch (...) {
    try {
      return statusOf(host::currentException());
    } catch (...) {
      return &noMemory;
    }
  }
}

static mkrt_status invalid(const char *what) noexcept {
  return guarded([&]() -> Error { return {ErrorCode::InvalidArgument, what}; });
}

mkrt_code mkrt_status_code(mkrt_status status) {
  return status ? mkrt_code(status->error.code) : MKRT_OK;
}

const char *mkrt_status_message(mkrt_status status) {
  return status ? status->error.message.c_str() : "";
}

void mkrt_status_release(mkrt_status status) {
  if (status && !status->isStatic)
    delete status;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static Error wrap(std::shared_ptr<const host::Program> program,
                  mkrt_program *out) {
  auto handle = std::make_unique<mkrt_program_s>();
  for (const format::PortInfo &port : program->view().ports())
    handle->names.emplace_back(program->view().string(port.name));
  handle->program = std::move(program);
  *out = handle.release();
  return {};
}

mkrt_status mkrt_program_load_file(const char *path, mkrt_program *out) {
  if (!path || !out)
    return invalid("path and out must not be NULL");
  return guarded([&]() -> Error {
    std::shared_ptr<const host::Program> program;
    if (Error error = host::Program::load(path, program))
      return error;
    return wrap(std::move(program), out);
  });
}

mkrt_status mkrt_program_load_memory(const void *bytes, size_t size,
                                     mkrt_ownership ownership,
                                     mkrt_program *out) {
  if ((!bytes && size) || !out)
    return invalid("bytes and out must not be NULL");
  if (ownership != MKRT_COPY && ownership != MKRT_BORROW)
    return invalid("unknown ownership");
  return guarded([&]() -> Error {
    std::shared_ptr<const host::Program> program;
    if (Error error = host::Program::load(
            {static_cast<const std::byte *>(bytes), size},
            ownership == MKRT_COPY ? host::Ownership::Copy
                                   : host::Ownership::Borrow,
            program))
      return error;
    return wrap(std::move(program), out);
  });
}

void mkrt_program_release(mkrt_program program) { delete program; }

static const format::ProgramInfo &info(mkrt_program program) {
  return program->program->view().program();
}

uint32_t mkrt_program_input_count(mkrt_program program) {
  return program ? info(program).inputCount : 0;
}

uint32_t mkrt_program_output_count(mkrt_program program) {
  return program ? info(program).outputCount : 0;
}

uint32_t mkrt_program_parameter_count(mkrt_program program) {
  return program ? info(program).parameterCount : 0;
}

mkrt_status mkrt_program_check(mkrt_program program) {
  if (!program)
    return invalid("program must not be NULL");
  return guarded([&]() -> Error {
    verify::VerifyResult result =
        verify::verifySchedule(program->program->view());
    if (result.ok)
      return {};
    return {ErrorCode::CheckFailed,
            "the schedule is refused (" +
                std::string(verify::failureName(result.failure)) +
                "): " + result.message};
  });
}

static mkrt_status portInfo(mkrt_program program, bool isInput, uint32_t index,
                            mkrt_tensor_info *out) {
  if (!program || !out)
    return invalid("program and out must not be NULL");
  return guarded([&]() -> Error {
    const format::PackageView &view = program->program->view();
    uint32_t inputs = view.program().inputCount;
    uint32_t count = isInput ? inputs : view.program().outputCount;
    if (index >= count)
      return {ErrorCode::InvalidArgument, "port " + std::to_string(index) +
                                              " does not exist: there are " +
                                              std::to_string(count)};
    size_t port = size_t(isInput ? 0 : inputs) + index;
    const format::PortInfo &p = view.ports()[port];
    *out = {program->names[port].c_str(), p.type, p.rank, view.shape(p).data(),
            p.bytes};
    return {};
  });
}

mkrt_status mkrt_program_input_info(mkrt_program program, uint32_t index,
                                    mkrt_tensor_info *out) {
  return portInfo(program, true, index, out);
}

mkrt_status mkrt_program_output_info(mkrt_program program, uint32_t index,
                                     mkrt_tensor_info *out) {
  return portInfo(program, false, index, out);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

mkrt_status mkrt_context_create(mkrt_program program, mkrt_context *out) {
  if (!program || !out)
    return invalid("program and out must not be NULL");
  return guarded([&]() -> Error {
    auto handle = std::make_unique<mkrt_context_s>();
    if (Error error = host::Context::create(program->program, handle->context))
      return error;
    *out = handle.release();
    return {};
  });
}

void mkrt_context_release(mkrt_context context) { delete context; }

/// Calls what a context returns an error for.
template <typename Body>
static mkrt_status onContext(mkrt_context context, Body body) noexcept {
  if (!context)
    return invalid("context must not be NULL");
  return guarded([&] { return body(*context->context); });
}

mkrt_status mkrt_context_bind_input(mkrt_context context, uint32_t index,
                                    const void *data) {
  return onContext(context,
                   [&](host::Context &c) { return c.bindInput(index, data); });
}

mkrt_status mkrt_context_bind_output(mkrt_context context, uint32_t index,
                                     void *data) {
  return onContext(context,
                   [&](host::Context &c) { return c.bindOutput(index, data); });
}

/// NULL for all that goes wrong.
template <typename Body>
static void *bufferOf(mkrt_context context, Body body) noexcept {
  try {
    return context ? body(*context->context) : nullptr;
  } catch (...) {
    return nullptr;
  }
}

void *mkrt_context_input_buffer(mkrt_context context, uint32_t index) {
  return bufferOf(context,
                  [&](host::Context &c) { return c.inputBuffer(index); });
}

void *mkrt_context_output_buffer(mkrt_context context, uint32_t index) {
  return bufferOf(context,
                  [&](host::Context &c) { return c.outputBuffer(index); });
}

mkrt_status mkrt_context_set_parameter(mkrt_context context, uint32_t slot,
                                       int64_t value) {
  return onContext(
      context, [&](host::Context &c) { return c.setParameter(slot, value); });
}

void mkrt_context_reset_state(mkrt_context context) {
  if (context)
    context->context->resetState();
}

mkrt_status mkrt_context_run(mkrt_context context,
                             const mkrt_run_options *options) {
  if (!context)
    return invalid("context must not be NULL");
  mkrt_run_options known{};
  if (options) {
    if (options->struct_size < sizeof(size_t))
      return invalid("struct_size of the run options is not set");
    std::memcpy(&known, options, std::min(options->struct_size, sizeof known));
  }
  host::RunOptions run;
  run.threads = known.threads;
  if (known.stall_limit_ms)
    run.stallLimit = std::chrono::milliseconds(known.stall_limit_ms);
  return onContext(context, [&](host::Context &c) { return c.run(run); });
}
