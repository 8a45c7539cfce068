/*===- kernels.c - Host kernels of the runtime's tests ---------------------===*
 *
 * Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles are single elements of 32-bit integers.
 *
 *===----------------------------------------------------------------------===*/

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

struct Env {
  int32_t *scratch;
  const int64_t *parameters;
  uint64_t indexFault;
  int64_t faultIndex, faultBound;
};

static int32_t *at(const uint64_t *operands, int i) {
  return (int32_t *)operands[i];
}

/* 0: out, 1: in; out[tile] = in[tile] + 1 */
void increment(const uint64_t *operands, uint64_t tile, struct Env *env) {
  at(operands, 0)[tile] = at(operands, 1)[tile] + 1;
}

/* 0: out, 1, 2: in; out[tile] = 3 * a[tile] + b[tile], through the scratch */
void combine(const uint64_t *operands, uint64_t tile, struct Env *env) {
  env->scratch[0] = 3 * at(operands, 1)[tile];
  at(operands, 0)[tile] = env->scratch[0] + at(operands, 2)[tile];
}

/* 0: out, 1..7: in; out[tile] = the sum of i * in_i[tile] */
void sum7(const uint64_t *operands, uint64_t tile, struct Env *env) {
  int32_t sum = 0;
  for (int i = 1; i <= 7; ++i)
    sum += i * at(operands, i)[tile];
  at(operands, 0)[tile] = sum;
}

/* 0: out, 1: table of 10, 2: indices; out[tile] = table[indices[tile]] */
void gather10(const uint64_t *operands, uint64_t tile, struct Env *env) {
  int32_t index = at(operands, 2)[tile];
  if (index < 0 || index >= 10) {
    env->indexFault = 1;
    env->faultIndex = index;
    env->faultBound = 10;
    return;
  }
  at(operands, 0)[tile] = at(operands, 1)[index];
}

/* 0: out, 1: in; like increment, but each tile takes some milliseconds */
void slow(const uint64_t *operands, uint64_t tile, struct Env *env) {
  struct timespec time = {0, 30 * 1000 * 1000};
  nanosleep(&time, 0);
  at(operands, 0)[tile] = at(operands, 1)[tile] + 1;
}

/* 0: out, 1: in; calls the function whose address the input begins with */
void call(const uint64_t *operands, uint64_t tile, struct Env *env) {
  void (*function)(uint64_t);
  __builtin_memcpy(&function, at(operands, 1), sizeof function);
  function(tile);
}

/* Tells tests that the object was loaded. */
__attribute__((constructor)) static void loaded(void) {
  setenv("MKC_TEST_KERNELS_LOADED", "1", 1);
}
