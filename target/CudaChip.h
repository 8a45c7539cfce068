//===- CudaChip.h - One row per NVIDIA chip -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mkc {

/// What all chips of an architecture have in common: what code is compiled for.
struct CudaArchitecture {
  std::string_view name;   ///< As NVRTC calls it: "sm_90a".
  unsigned major, minor;   ///< Compute capability of its devices.
  bool bulkCopies;         ///< cp.async.bulk and mbarrier.try_wait.
  uint32_t sharedPerSm;    ///< Bytes.
  uint32_t sharedPerBlock; ///< Bytes, with the opt-in attribute.
  uint32_t registersPerSm;
  uint32_t registerUnit; ///< Registers are given to warps in this many.
  uint32_t threadsPerSm;
};

/// A chip: what schedules are made for. Estimates are marked in the table of
/// CudaChip.cpp, which also names the source of each number.
struct CudaChip {
  std::string_view name;    ///< "h200", unique among all rows.
  std::string_view product; ///< "NVIDIA H200 SXM".
  const CudaArchitecture *architecture;
  uint32_t sms;
  uint64_t l2Bytes;
  double bandwidth; ///< Of device memory, bytes per second.
  double clock;     ///< SM boost clock, Hz.

  /// Latencies in nanoseconds; estimates until measured on that chip.
  double signalNs;  ///< From the consumers' end to the counter in L2.
  double observeNs; ///< From there to another SM's consumers.
  double recordNs;  ///< What the consumers lose per record.
  double memoryNs;  ///< A load from device memory.
  bool latenciesMeasured;

  std::string target() const; ///< "sm_90a:h200"

  /// Registers per thread that all modules are compiled for (--maxrregcount):
  /// the most that a block of the persistent kernel may have.
  uint32_t registerBudget() const;
  /// Pages of shared memory beside header and scratch.
  uint32_t pages() const;
  /// Dynamic shared memory of a block with `pages()` pages.
  uint32_t sharedBytes() const;

  /// Proves that one block of the persistent kernel fits each SM at that many
  /// registers per thread and bytes of shared memory (static included), so that
  /// `sms` blocks are resident together. Returns an empty string, or which
  /// limit is exceeded with both numbers.
  std::string checkCoResident(uint32_t registers, uint32_t sharedBytes) const;
};

std::span<const CudaArchitecture> cudaArchitectures();
/// All rows; the first of an architecture is its default chip.
std::span<const CudaChip> cudaChips();

/// The row for "sm_90a" (the architecture's default chip) or "sm_90a:h200".
/// On an error returns null and says what exists.
const CudaChip *findCudaChip(std::string_view target, std::string &error);

} // namespace mkc
