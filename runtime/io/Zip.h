//===- Zip.h - Zip archives -----------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/AtomicFile.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mkrt::io {

/// A member of an archive, as its central directory describes it.
struct ZipMember {
  std::string name;
  uint16_t method; ///< 0: stored, 8: deflated.
  uint32_t crc;
  uint64_t packedBytes, bytes;
  uint64_t localHeader; ///< Offset in the file.
};

/// Reads the central directory (zip64 too). Sizes come from there, so members
/// with data descriptors are no special case. Returns an error text, or an
/// empty string.
std::string readZipDirectory(std::span<const std::byte> archive,
                             std::vector<ZipMember> &members);

/// Unpacks a member and checks its CRC. Returns an error text, or an empty
/// string.
std::string readZipMember(std::span<const std::byte> archive,
                          const ZipMember &member, std::vector<std::byte> &out);

/// Writes an archive of stored members, with zip64 fields where sizes need
/// them.
class ZipWriter {
public:
  explicit ZipWriter(const std::string &path) : path_(path), file_(path) {}

  /// A name may have up to 65,535 bytes.
  void add(std::string_view name, std::span<const std::byte> bytes);
  /// Returns an error text, or an empty string. Without it no file is left.
  std::string finish();

private:
  void append(const std::vector<std::byte> &bytes);
  void appendDirectoryEntry(const ZipMember &member,
                            std::vector<std::byte> &out) const;

  std::string path_, error_;
  format::AtomicFile file_;
  uint64_t size_ = 0;
  std::vector<ZipMember> members_;
};

} // namespace mkrt::io
