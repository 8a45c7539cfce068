//===- Wire.h - Reader of the protobuf wire format ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks one message's fields where they lie, without copying. Sizes have 64
// bits, so files over 2 GB, which libprotobuf refuses, are read too. The reader
// does not recurse: a submessage is handed out as its bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace mkc::onnx {

/// What is wrong with encoded bytes, and where.
struct WireError {
  const char *at;
  const char *what;
};

/// A repeated scalar field in pieces: packed payloads, or single elements of
/// an unpacked field. Elements follow each other through all pieces.
using PackedPieces = llvm::SmallVector<llvm::StringRef, 1>;

/// Iterates over the fields of a message:
///
///   WireReader reader(bytes);
///   while (reader.next())
///     switch (reader.field()) {
///     case 1: name = reader.bytes(); break;
///     }
///   return reader.error();
///
/// A field that is not asked for is skipped. Asking for a field as what it is
/// not ends the iteration with an error, and so does asking twice for a field
/// through a `set` function: encoders never repeat a singular field.
class WireReader {
public:
  explicit WireReader(llvm::StringRef message)
      : pos(message.begin()), end(message.end()), value(0) {}

  /// Advances to the next field; false at the end and at an error.
  bool next();
  uint32_t field() const { return number; }
  std::optional<WireError> error() const { return failure; }

  /// A length-delimited field's bytes.
  llvm::StringRef bytes();
  int64_t varint();
  float float32();
  /// The bytes of a packed field, or of one element of an unpacked one.
  llvm::StringRef packed();

  void set(llvm::StringRef &to) {
    setOnce([&] { to = bytes(); });
  }
  void set(std::optional<llvm::StringRef> &to) {
    setOnce([&] { to = bytes(); });
  }
  void set(int64_t &to) {
    setOnce([&] { to = varint(); });
  }
  void set(std::optional<int64_t> &to) {
    setOnce([&] { to = varint(); });
  }
  void set(std::optional<float> &to) {
    setOnce([&] { to = float32(); });
  }
  /// A repeated integer field, packed or not.
  void append(llvm::SmallVectorImpl<int64_t> &to);

private:
  enum class WireType : uint8_t {
    Varint = 0,
    Fixed64 = 1,
    Length = 2,
    Fixed32 = 5
  };

  template <typename Assign> void setOnce(Assign assign) {
    if (number < 64 && (seen >> number & 1))
      return fail(fieldStart, "a field that may occur once is repeated");
    if (number < 64)
      seen |= uint64_t(1) << number;
    assign();
  }
  void fail(const char *at, const char *what);
  bool readVarint(uint64_t &result);
  bool take(uint64_t size);

  const char *pos;
  const char *end;
  const char *fieldStart = nullptr;
  llvm::StringRef payload;
  uint64_t value;
  uint64_t seen = 0;
  uint32_t number = 0;
  WireType type = WireType::Varint;
  std::optional<WireError> failure;
};

/// Decodes the varints of `pieces` and appends them to `to`.
std::optional<WireError> readVarints(llvm::ArrayRef<llvm::StringRef> pieces,
                                     llvm::SmallVectorImpl<int64_t> &to);

} // namespace mkc::onnx
