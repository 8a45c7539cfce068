//===- Bytes.h - Little-endian numbers in byte strings --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mkrt::io {

/// The number at `at`, which must lie inside with all its bytes.
template <typename T>
T loadLittle(std::span<const std::byte> bytes, uint64_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= uint64_t(bytes[at + i]) << (8 * i);
  return T(value);
}

template <typename T>
void appendLittle(std::vector<std::byte> &bytes, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes.push_back(std::byte(uint64_t(value) >> (8 * i)));
}

} // namespace mkrt::io
