//===- ProtoWire.h - Protocol buffers on the wire -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mkrt::io {

enum class WireType : uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2, ///< String, bytes, message or packed numbers.
  Fixed32 = 5,
};

/// One field of a message. Bytes are views into the message.
struct ProtoField {
  uint32_t number = 0;
  WireType type = WireType::Varint;
  uint64_t value = 0; ///< Of the three numeric types.
  std::span<const std::byte> bytes;
  uint64_t offset = 0; ///< Of the payload in the file.

  std::string_view text() const {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
};

/// Reads a message field by field without copying. Never reads outside of the
/// message; sizes are 64 bits wide, so a message may be a mapped file of any
/// size.
///
///   ProtoReader reader(bytes);
///   ProtoField field;
///   while (reader.next(field)) ...
///   if (!reader.error().empty()) ...
class ProtoReader {
public:
  /// `offset` is the message's place in the file, for errors and
  /// `field.offset`.
  explicit ProtoReader(std::span<const std::byte> message, uint64_t offset = 0)
      : message_(message), base_(offset) {}
  /// The message inside a field.
  explicit ProtoReader(const ProtoField &field)
      : ProtoReader(field.bytes, field.offset) {}

  /// False at the end and on an error. Groups (deprecated) are skipped.
  bool next(ProtoField &field);
  /// Takes one number of a packed field that this reader was made of.
  bool varint(uint64_t &value);
  bool fixed32(uint32_t &value);
  bool fixed64(uint64_t &value);

  bool atEnd() const { return at_ == message_.size(); }
  /// Empty if all was well so far; names the offset in the file.
  const std::string &error() const { return error_; }

private:
  bool fail(const char *what);
  bool fixed(unsigned count, uint64_t &value);
  bool payload(ProtoField &field);
  bool skipGroup(uint32_t number);

  std::span<const std::byte> message_;
  uint64_t base_;
  size_t at_ = 0;
  std::string error_;
};

/// Calls `visit(value)` for each integer of a repeated field, packed or not.
/// False if the field is malformed; `error` says why.
template <typename Visit>
bool forEachVarint(const ProtoField &field, Visit visit, std::string &error) {
  if (field.type == WireType::Varint) {
    visit(field.value);
    return true;
  }
  if (field.type != WireType::Bytes) {
    error = "field " + std::to_string(field.number) + " is not a varint";
    return false;
  }
  ProtoReader packed(field);
  uint64_t value;
  while (!packed.atEnd() && packed.varint(value))
    visit(value);
  error = packed.error();
  return error.empty();
}

} // namespace mkrt::io
