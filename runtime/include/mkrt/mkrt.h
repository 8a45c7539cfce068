/*===- mkrt.h - Running compiled models ------------------------------------===*
 *
 * Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A *program* is loaded from a package; it is immutable. A *context* owns what
 * a run needs: memory, counters, state, worker threads. To run a model:
 *
 *   mkrt_program program;
 *   mkrt_context context;
 *   mkrt_status status = mkrt_program_load_file("model.mkp", &program);
 *   if (!status) status = mkrt_context_create(program, &context);
 *   if (!status) status = mkrt_context_bind_input(context, 0, pixels);
 *   if (!status) status = mkrt_context_bind_output(context, 0, scores);
 *   if (!status) status = mkrt_context_run(context, NULL);
 *   if (status) fprintf(stderr, "%s\n", mkrt_status_message(status));
 *
 * Handles: whoever gets one from a `load` or `create` function releases it. A
 * context keeps its program alive. NULL may be passed for any handle: functions
 * with a status return MKRT_INVALID_ARGUMENT, those that return a number or a
 * pointer return 0 or NULL, the others do nothing.
 *
 * Threads: a program may be used by any number of threads at once. A context
 * may be used by one thread at a time; contexts of one program run
 * concurrently.
 *
 * A package contains machine code: load only packages that you trust.
 *
 * This interface only grows: functions, enumerators and fields at the end of
 * structs are added, none is changed. `struct_size` tells the library which
 * fields the caller knows.
 *
 *===----------------------------------------------------------------------===*/
#ifndef MKRT_MKRT_H
#define MKRT_MKRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Status ------------------------------------------------------------===*/

/** NULL means success. Any other status is owned by the caller. */
typedef struct mkrt_status_s *mkrt_status;

typedef enum mkrt_code {
  MKRT_OK = 0,
  MKRT_INVALID_ARGUMENT = 1, /**< A bad index, pointer, size or option. */
  MKRT_BAD_PACKAGE = 2,      /**< Damaged, or not a package. */
  MKRT_UNSUPPORTED = 3, /**< A sound package that this machine can't run. */
  MKRT_OUT_OF_MEMORY = 4,
  MKRT_INDEX_FAULT = 5,   /**< An index from data was out of its bound. */
  MKRT_STALLED = 6,       /**< The watchdog ended the run. */
  MKRT_SCHEDULE = 7,      /**< A dependency counter is not what it must be. */
  MKRT_BUSY = 8,          /**< Another thread is running the context. */
  MKRT_SYSTEM = 9,        /**< The system refused something. */
  MKRT_CHECK_FAILED = 10, /**< The schedule verifier refused the package. */
  MKRT_INTERNAL = 11      /**< A mistake of the library's. */
} mkrt_code;

/** The code of a status; MKRT_OK for NULL. */
mkrt_code mkrt_status_code(mkrt_status status);
/** The text of a status, for people; "" for NULL. Valid until the release. */
const char *mkrt_status_message(mkrt_status status);
void mkrt_status_release(mkrt_status status);

/*===-- Programs ----------------------------------------------------------===*/

typedef struct mkrt_program_s *mkrt_program;

/** Maps and checks a package. The file must not change while the program lives.
 */
mkrt_status mkrt_program_load_file(const char *path, mkrt_program *out);

typedef enum mkrt_ownership {
  MKRT_COPY = 0, /**< The program keeps a copy of the bytes. */
  /** The bytes are aligned to 64, don't change, and outlive the program and its
   *  contexts. */
  MKRT_BORROW = 1
} mkrt_ownership;

mkrt_status mkrt_program_load_memory(const void *bytes, size_t size,
                                     mkrt_ownership ownership,
                                     mkrt_program *out);
void mkrt_program_release(mkrt_program program);

/** An input or output. Pointers are valid as long as the program. */
typedef struct mkrt_tensor_info {
  const char *name;
  int32_t type; /**< ONNX TensorProto.DataType: 1 is float, 7 is int64, ... */
  uint32_t rank;
  const int64_t *dims;
  uint64_t bytes; /**< Dense, row-major; elements below a byte are packed. */
} mkrt_tensor_info;

uint32_t mkrt_program_input_count(mkrt_program program);
uint32_t mkrt_program_output_count(mkrt_program program);
mkrt_status mkrt_program_input_info(mkrt_program program, uint32_t index,
                                    mkrt_tensor_info *out);
mkrt_status mkrt_program_output_info(mkrt_program program, uint32_t index,
                                     mkrt_tensor_info *out);
/**
 * Proves again that the package's schedule has no deadlock and no data race and
 * stays inside its memory; MKRT_CHECK_FAILED with an explanation if not.
 */
mkrt_status mkrt_program_check(mkrt_program program);
/** Entries of the table of run parameters; 0 for most models. */
uint32_t mkrt_program_parameter_count(mkrt_program program);

/*===-- Contexts ----------------------------------------------------------===*/

typedef struct mkrt_context_s *mkrt_context;

mkrt_status mkrt_context_create(mkrt_program program, mkrt_context *out);
/** Joins the context's threads. No run may be in progress. */
void mkrt_context_release(mkrt_context context);

/**
 * Binds the caller's memory until it is bound again. It must hold the port's
 * bytes (see mkrt_tensor_info): the library cannot check that. The memory stays
 * the caller's and must live until the last run that uses it. It is used in
 * place if it is aligned to 64, and copied at each run otherwise. NULL binds
 * the context's own buffer, as at first.
 *
 * A run reads inputs as they were at its start: an input that shares memory
 * with an output is copied first. The library writes no input; only an output
 * that shares its memory does. Outputs must not share memory with each other:
 * mkrt_context_run returns MKRT_INVALID_ARGUMENT then.
 */
mkrt_status mkrt_context_bind_input(mkrt_context context, uint32_t index,
                                    const void *data);
mkrt_status mkrt_context_bind_output(mkrt_context context, uint32_t index,
                                     void *data);

/**
 * The context's own buffer of a port, zeroed at first; NULL if there is no such
 * port or no memory. Valid until the context's release.
 */
void *mkrt_context_input_buffer(mkrt_context context, uint32_t index);
void *mkrt_context_output_buffer(mkrt_context context, uint32_t index);

/** Sets an entry of the parameter table; all are 0 at first. */
mkrt_status mkrt_context_set_parameter(mkrt_context context, uint32_t slot,
                                       int64_t value);
/** Zeroes the state that runs hand on to each other. */
void mkrt_context_reset_state(mkrt_context context);

typedef struct mkrt_run_options {
  size_t struct_size; /**< sizeof(mkrt_run_options). */
  uint32_t threads;   /**< 0: the CPUs that affinity and cgroups allow. */
  /** No progress for so long is an error; 0: 60,000. */
  uint32_t stall_limit_ms;
} mkrt_run_options;

/**
 * Runs the program once and returns when the outputs are there. NULL options
 * are the defaults. The results are the same bits for any number of threads.
 * After an error, outputs and state hold anything and the context can run
 * again.
 */
mkrt_status mkrt_context_run(mkrt_context context,
                             const mkrt_run_options *options);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MKRT_MKRT_H */
