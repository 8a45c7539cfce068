//===- HostAbi.h - How a worker calls a host kernel -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace mkrt::format {

/// One per worker. Generated code addresses the members by offset.
struct HostEnv {
  std::byte *scratch;        ///< ProgramInfo::scratchBytes, aligned to 64.
  const int64_t *parameters; ///< The run's parameter table.
  /// Set to 1 by a kernel that met an index from data outside its bound; the
  /// kernel then touches nothing more of that tile's element.
  uint64_t indexFault;
  int64_t faultIndex; ///< The bad index,
  int64_t faultBound; ///< and the size that it must stay below.
};
static_assert(offsetof(HostEnv, scratch) == 0);
static_assert(offsetof(HostEnv, parameters) == 8);
static_assert(offsetof(HostEnv, indexFault) == 16);
static_assert(offsetof(HostEnv, faultIndex) == 24);
static_assert(offsetof(HostEnv, faultBound) == 32);

/// Runs one tile. `operands` are absolute addresses in the kernel's order.
using HostKernel = void (*)(const uint64_t *operands, uint64_t tile,
                            HostEnv *env);

} // namespace mkrt::format
