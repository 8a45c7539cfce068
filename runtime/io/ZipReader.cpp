//===- ZipReader.cpp - Reading zip archives -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Bytes.h"
#include "runtime/io/Zip.h"

#include <algorithm>
#include <limits>
#include <zlib.h>

using namespace mkrt;
using namespace mkrt::io;

static constexpr uint32_t kLocalHeader = 0x04034b50, kEntry = 0x02014b50,
                          kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                          kLocator64 = 0x07064b50;
static constexpr uint64_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56,
                          kEntryBytes = 46, kLocalBytes = 30;

namespace {
/// Where the central directory lies.
struct Directory {
  uint64_t count, bytes, offset;
};
} // namespace

static bool inside(std::span<const std::byte> archive, uint64_t at,
                   uint64_t bytes) {
  return at <= archive.size() && bytes <= archive.size() - at;
}

/// The end record is the last thing in the file but for a comment.
static bool findEnd(std::span<const std::byte> archive, uint64_t &at) {
  if (archive.size() < kEndBytes)
    return false;
  uint64_t last = archive.size() - kEndBytes;
  uint64_t first = last - std::min<uint64_t>(last, UINT16_MAX);
  for (at = last;; --at) {
    if (loadLittle<uint32_t>(archive, at) == kEnd &&
        at + kEndBytes + loadLittle<uint16_t>(archive, at + 20) <=
            archive.size())
      return true;
    if (at == first)
      return false;
  }
}

static std::string findDirectory(std::span<const std::byte> archive,
                                 Directory &out) {
  uint64_t end;
  if (!findEnd(archive, end))
    return "not a zip archive (no end record)";
  out.count = loadLittle<uint16_t>(archive, end + 10);
  out.bytes = loadLittle<uint32_t>(archive, end + 12);
  out.offset = loadLittle<uint32_t>(archive, end + 16);
  if (end >= kLocatorBytes &&
      loadLittle<uint32_t>(archive, end - kLocatorBytes) == kLocator64) {
    uint64_t at = loadLittle<uint64_t>(archive, end - kLocatorBytes + 8);
    if (!inside(archive, at, kEnd64Bytes) ||
        loadLittle<uint32_t>(archive, at) != kEnd64)
      return "the zip64 end record is not where the archive says";
    out.count = loadLittle<uint64_t>(archive, at + 32);
    out.bytes = loadLittle<uint64_t>(archive, at + 40);
    out.offset = loadLittle<uint64_t>(archive, at + 48);
  }
  if (!inside(archive, out.offset, out.bytes))
    return "the zip directory at " + std::to_string(out.offset) + " of " +
           std::to_string(out.bytes) + " bytes leaves the file of " +
           std::to_string(archive.size());
  return {};
}

/// Replaces fields of all ones by those of the zip64 extra field, in order.
static bool applyZip64(std::span<const std::byte> extra, ZipMember &member) {
  uint64_t at = 0;
  while (inside(extra, at, 4)) {
    uint16_t id = loadLittle<uint16_t>(extra, at);
    uint16_t bytes = loadLittle<uint16_t>(extra, at + 2);
    at += 4;
    if (!inside(extra, at, bytes))
      return false;
    if (id == 1) {
      std::span<const std::byte> field = extra.subspan(at, bytes);
      for (uint64_t *value :
           {&member.bytes, &member.packedBytes, &member.localHeader}) {
        if (*value != UINT32_MAX)
          continue;
        if (field.size() < 8)
          return false;
        *value = loadLittle<uint64_t>(field, 0);
        field = field.subspan(8);
      }
      return true;
    }
    at += bytes;
  }
  return true;
}

std::string mkrt::io::readZipDirectory(std::span<const std::byte> archive,
                                       std::vector<ZipMember> &members) {
  Directory directory;
  if (std::string error = findDirectory(archive, directory); !error.empty())
    return error;
  members.clear();
  std::span<const std::byte> entries =
      archive.subspan(directory.offset, directory.bytes);
  uint64_t at = 0;
  for (uint64_t i = 0; i < directory.count; ++i) {
    std::string subject = "zip member " + std::to_string(i);
    if (!inside(entries, at, kEntryBytes) ||
        loadLittle<uint32_t>(entries, at) != kEntry)
      return subject + ": the directory ends before it";
    ZipMember member;
    member.method = loadLittle<uint16_t>(entries, at + 10);
    member.crc = loadLittle<uint32_t>(entries, at + 16);
    member.packedBytes = loadLittle<uint32_t>(entries, at + 20);
    member.bytes = loadLittle<uint32_t>(entries, at + 24);
    uint64_t nameBytes = loadLittle<uint16_t>(entries, at + 28);
    uint64_t extraBytes = loadLittle<uint16_t>(entries, at + 30);
    uint64_t commentBytes = loadLittle<uint16_t>(entries, at + 32);
    member.localHeader = loadLittle<uint32_t>(entries, at + 42);
    uint64_t tail = nameBytes + extraBytes + commentBytes;
    if (!inside(entries, at + kEntryBytes, tail))
      return subject + ": the directory ends inside it";
    bool encrypted = loadLittle<uint16_t>(entries, at + 8) & 1;
    at += kEntryBytes;
    member.name.assign(reinterpret_cast<const char *>(entries.data()) + at,
                       nameBytes);
    if (encrypted)
      return subject + " '" + member.name + "' is encrypted";
    if (!applyZip64(entries.subspan(at + nameBytes, extraBytes), member))
      return subject + " '" + member.name + "' has a malformed extra field";
    at += tail;
    members.push_back(std::move(member));
  }
  return {};
}

/// Inflates into `out`, which has the size that the directory names.
static bool inflateRaw(std::span<const std::byte> packed,
                       std::span<std::byte> out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return false;
  constexpr size_t kChunk = std::numeric_limits<uInt>::max();
  const std::byte *source = packed.data();
  std::byte *target = out.data();
  size_t left = packed.size(), room = out.size();
  int status = Z_OK;
  while (status == Z_OK) {
    stream.avail_in = uInt(std::min(left, kChunk));
    stream.avail_out = uInt(std::min(room, kChunk));
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(source));
    stream.next_out = reinterpret_cast<Bytef *>(target);
    size_t in = stream.avail_in, space = stream.avail_out;
    status = inflate(&stream, Z_NO_FLUSH);
    in -= stream.avail_in, space -= stream.avail_out;
    source += in, left -= in;
    target += space, room -= space;
    if (status == Z_OK && in == 0 && space == 0)
      status = Z_BUF_ERROR;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && room == 0;
}

static uint32_t crcOf(std::span<const std::byte> bytes) {
  return uint32_t(
      crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

std::string mkrt::io::readZipMember(std::span<const std::byte> archive,
                                    const ZipMember &member,
                                    std::vector<std::byte> &out) {
  std::string subject = "zip member '" + member.name + "'";
  if (!inside(archive, member.localHeader, kLocalBytes) ||
      loadLittle<uint32_t>(archive, member.localHeader) != kLocalHeader)
    return subject + " is not where the directory says";
  uint64_t start = member.localHeader + kLocalBytes +
                   loadLittle<uint16_t>(archive, member.localHeader + 26) +
                   loadLittle<uint16_t>(archive, member.localHeader + 28);
  if (!inside(archive, start, member.packedBytes))
    return subject + " leaves the file: it ends inside the member";
  std::span<const std::byte> packed =
      archive.subspan(start, member.packedBytes);
  if (member.method == 0) {
    if (member.bytes != member.packedBytes)
      return subject + " is stored in " + std::to_string(member.packedBytes) +
             " bytes, but has " + std::to_string(member.bytes);
    out.assign(packed.begin(), packed.end());
  } else if (member.method == 8) {
    // Deflate packs at most 1032 to 1: a larger claim must not ask for memory.
    if (member.bytes / 1032 > member.packedBytes + 1)
      return subject + " claims " + std::to_string(member.bytes) +
             " bytes, more than its " + std::to_string(member.packedBytes) +
             " can hold";
    out.resize(member.bytes);
    if (!inflateRaw(packed, out))
      return subject + " is damaged (cannot inflate)";
  } else {
    return subject + " is packed with method " + std::to_string(member.method) +
           ", only stored and deflated members are read";
  }
  if (crcOf(out) != member.crc)
    return subject + " is damaged (checksum)";
  return {};
}
