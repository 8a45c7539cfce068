//===- CubinCache.cpp - Compiled modules by content -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/CubinCache.h"

#include "runtime/format/AtomicFile.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <xxhash.h>

using namespace mkc::cuda;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

std::string CubinKey::text() const {
  static const char digits[] = "0123456789abcdef";
  std::string result;
  for (uint64_t word : {high, low})
    for (int shift = 60; shift >= 0; shift -= 4)
      result += digits[word >> shift & 15];
  return result;
}

CubinKey mkc::cuda::hashTexts(std::span<const std::string_view> parts) {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(
      XXH3_createState(), &XXH3_freeState);
  XXH3_128bits_reset(state.get());
  for (std::string_view part : parts) {
    uint64_t size = part.size();
    XXH3_128bits_update(state.get(), &size, sizeof size);
    XXH3_128bits_update(state.get(), part.data(), part.size());
  }
  XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return {hash.low64, hash.high64};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
/// Begin of a file; the bytes of the cubin follow.
struct EntryHeader {
  char magic[8];
  CubinKey key;
  uint64_t size;
  uint64_t checksum; ///< XXH3-64 of the bytes.
};
} // namespace
static_assert(sizeof(EntryHeader) == 40);

/// The last character is the version of the layout.
static constexpr char kMagic[8] = {'m', 'k', 'c', 'u', 'b', 'i', 'n', '1'};

std::string CubinCache::defaultFolder() {
  auto variable = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::string folder = variable("MKC_CACHE_DIR"); !folder.empty())
    return folder + "/cubin";
  if (std::string folder = variable("XDG_CACHE_HOME"); !folder.empty())
    return folder + "/mkc/cubin";
  if (std::string folder = variable("HOME"); !folder.empty())
    return folder + "/.cache/mkc/cubin";
  return "";
}

std::string CubinCache::path(const CubinKey &key) const {
  return folder_ + "/" + key.text();
}

Cubin CubinCache::readFile(const CubinKey &key) const {
  std::ifstream file(path(key), std::ios::binary);
  EntryHeader header;
  if (!file.read(reinterpret_cast<char *>(&header), sizeof header) ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) || header.key != key)
    return nullptr;
  std::error_code error;
  uint64_t fileSize = std::filesystem::file_size(path(key), error);
  if (error || fileSize != sizeof header + header.size)
    return nullptr;
  std::vector<std::byte> bytes(header.size);
  if (!file.read(reinterpret_cast<char *>(bytes.data()),
                 std::streamsize(bytes.size())) ||
      XXH3_64bits(bytes.data(), bytes.size()) != header.checksum)
    return nullptr;
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

std::string CubinCache::writeFile(const CubinKey &key,
                                  const std::vector<std::byte> &bytes) const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error)
    return folder_ + ": " + error.message();
  EntryHeader header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.key = key;
  header.size = bytes.size();
  header.checksum = XXH3_64bits(bytes.data(), bytes.size());
  mkrt::format::AtomicFile file(path(key));
  file.write(std::as_bytes(std::span(&header, 1)));
  file.write(bytes);
  return file.commit();
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

Cubin CubinCache::find(const CubinKey &key) {
  {
    std::lock_guard lock(mutex_);
    if (auto it = memory_.find(key); it != memory_.end())
      return it->second;
  }
  if (folder_.empty())
    return nullptr;
  Cubin cubin = readFile(key);
  if (cubin) {
    std::lock_guard lock(mutex_);
    memory_.emplace(key, cubin);
  }
  return cubin;
}

void CubinCache::insert(const CubinKey &key, Cubin cubin) {
  std::string warning = folder_.empty() ? "" : writeFile(key, *cubin);
  std::lock_guard lock(mutex_);
  memory_.emplace(key, std::move(cubin));
  if (warning_.empty() && !warning.empty())
    warning_ = "compiled kernels are not kept: " + warning;
}

std::string CubinCache::warning() const {
  std::lock_guard lock(mutex_);
  return warning_;
}
