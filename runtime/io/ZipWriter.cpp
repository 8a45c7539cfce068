//===- ZipWriter.cpp - Writing zip archives -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Bytes.h"
#include "runtime/io/Zip.h"

#include <algorithm>
#include <zlib.h>

using namespace mkrt;
using namespace mkrt::io;

/// 1980-01-01, so that equal contents give equal archives.
static constexpr uint32_t kDate = 0x00210000;
static constexpr uint16_t kVersion64 = 45, kVersion = 20;

/// A 32-bit field: all ones stand for "see the zip64 field".
static uint32_t field32(uint64_t value) {
  return uint32_t(std::min<uint64_t>(value, UINT32_MAX));
}

static bool isLarge(uint64_t value) { return value >= UINT32_MAX; }

static void appendText(std::vector<std::byte> &out, std::string_view text) {
  auto bytes = std::as_bytes(std::span(text));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void ZipWriter::append(const std::vector<std::byte> &bytes) {
  file_.write(bytes);
  size_ += bytes.size();
}

/// From "flags" to "size": the same in the local header and in the directory.
static void appendCommon(std::vector<std::byte> &out, const ZipMember &member) {
  appendLittle<uint16_t>(out, 0x0800); // The name is UTF-8.
  appendLittle<uint16_t>(out, member.method);
  appendLittle<uint32_t>(out, kDate);
  appendLittle<uint32_t>(out, member.crc);
  appendLittle<uint32_t>(out, field32(member.packedBytes));
  appendLittle<uint32_t>(out, field32(member.bytes));
  appendLittle<uint16_t>(out, uint16_t(member.name.size()));
}

void ZipWriter::add(std::string_view name, std::span<const std::byte> bytes) {
  if (name.size() > UINT16_MAX) {
    if (error_.empty())
      error_ = path_ + ": the name '" + std::string(name.substr(0, 40)) +
               "...' has " + std::to_string(name.size()) +
               " bytes, a zip archive holds names of up to " +
               std::to_string(UINT16_MAX);
    return;
  }
  ZipMember member{std::string(name), 0, 0, bytes.size(), bytes.size(), size_};
  member.crc = uint32_t(
      crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
  bool large = isLarge(member.bytes);
  std::vector<std::byte> header;
  appendLittle<uint32_t>(header, 0x04034b50);
  appendLittle<uint16_t>(header, large ? kVersion64 : kVersion);
  appendCommon(header, member);
  appendLittle<uint16_t>(header, large ? 20 : 0);
  appendText(header, name);
  if (large) {
    appendLittle<uint16_t>(header, 1);
    appendLittle<uint16_t>(header, 16);
    appendLittle<uint64_t>(header, member.bytes);
    appendLittle<uint64_t>(header, member.packedBytes);
  }
  append(header);
  file_.write(bytes);
  size_ += bytes.size();
  members_.push_back(std::move(member));
}

void ZipWriter::appendDirectoryEntry(const ZipMember &member,
                                     std::vector<std::byte> &out) const {
  std::vector<std::byte> extra;
  for (uint64_t value : {member.bytes, member.packedBytes, member.localHeader})
    if (isLarge(value))
      appendLittle<uint64_t>(extra, value);
  uint16_t version = extra.empty() ? kVersion : kVersion64;
  appendLittle<uint32_t>(out, 0x02014b50);
  appendLittle<uint16_t>(out, version);
  appendLittle<uint16_t>(out, version);
  appendCommon(out, member);
  appendLittle<uint16_t>(out, uint16_t(extra.empty() ? 0 : extra.size() + 4));
  appendLittle<uint16_t>(out, 0); // Comment.
  appendLittle<uint16_t>(out, 0); // Disk.
  appendLittle<uint16_t>(out, 0); // Attributes.
  appendLittle<uint32_t>(out, 0);
  appendLittle<uint32_t>(out, field32(member.localHeader));
  appendText(out, member.name);
  if (!extra.empty()) {
    appendLittle<uint16_t>(out, 1);
    appendLittle<uint16_t>(out, uint16_t(extra.size()));
    out.insert(out.end(), extra.begin(), extra.end());
  }
}

std::string ZipWriter::finish() {
  if (!error_.empty())
    return error_;
  uint64_t start = size_, count = members_.size();
  std::vector<std::byte> directory;
  for (const ZipMember &member : members_)
    appendDirectoryEntry(member, directory);
  uint64_t bytes = directory.size();
  append(directory);

  std::vector<std::byte> end;
  if (isLarge(start) || isLarge(bytes) || count >= UINT16_MAX) {
    uint64_t end64 = size_;
    appendLittle<uint32_t>(end, 0x06064b50);
    appendLittle<uint64_t>(end, 44); // Bytes of this record from here on.
    appendLittle<uint16_t>(end, kVersion64);
    appendLittle<uint16_t>(end, kVersion64);
    appendLittle<uint64_t>(end, 0); // Disks.
    appendLittle<uint64_t>(end, count);
    appendLittle<uint64_t>(end, count);
    appendLittle<uint64_t>(end, bytes);
    appendLittle<uint64_t>(end, start);
    appendLittle<uint32_t>(end, 0x07064b50);
    appendLittle<uint32_t>(end, 0);
    appendLittle<uint64_t>(end, end64);
    appendLittle<uint32_t>(end, 1);
  }
  uint16_t count16 = uint16_t(std::min<uint64_t>(count, UINT16_MAX));
  appendLittle<uint32_t>(end, 0x06054b50);
  appendLittle<uint32_t>(end, 0); // Disks.
  appendLittle<uint16_t>(end, count16);
  appendLittle<uint16_t>(end, count16);
  appendLittle<uint32_t>(end, field32(bytes));
  appendLittle<uint32_t>(end, field32(start));
  appendLittle<uint16_t>(end, 0); // Comment.
  append(end);
  return file_.commit();
}
