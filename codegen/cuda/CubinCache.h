//===- CubinCache.h - Compiled modules by content -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mkc::cuda {

/// Hash of everything that a result depends on: 128 bits, so that two different
/// contents never share a key in practice.
struct CubinKey {
  uint64_t low = 0, high = 0;
  auto operator<=>(const CubinKey &) const = default;
  std::string text() const; ///< 32 hexadecimal digits.
};

/// The key of a list of texts. Their borders count: "ab", "c" is not "a", "bc".
CubinKey hashTexts(std::span<const std::string_view> parts);

using Cubin = std::shared_ptr<const std::vector<std::byte>>;

/// Results in memory, and in a folder that processes share. A file is written
/// under a temporary name and renamed, and carries key, size and checksum: what
/// is damaged or not ours counts as missing. Thread-safe.
class CubinCache {
public:
  /// Without a folder (empty), in memory only.
  explicit CubinCache(std::string folder) : folder_(std::move(folder)) {}

  /// MKC_CACHE_DIR, else XDG_CACHE_HOME/mkc, else HOME/.cache/mkc, else none;
  /// and in it the folder "cubin".
  static std::string defaultFolder();

  /// Null if there is none.
  Cubin find(const CubinKey &key);
  /// Keeps it; the first warning of a folder that cannot be written sticks.
  void insert(const CubinKey &key, Cubin cubin);

  const std::string &folder() const { return folder_; }
  /// Why results are not kept on disk, or an empty string.
  std::string warning() const;

private:
  std::string path(const CubinKey &key) const;
  Cubin readFile(const CubinKey &key) const;
  std::string writeFile(const CubinKey &key,
                        const std::vector<std::byte> &bytes) const;

  std::string folder_;
  mutable std::mutex mutex_;
  std::map<CubinKey, Cubin> memory_;
  std::string warning_;
};

} // namespace mkc::cuda
