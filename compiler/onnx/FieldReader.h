//===- FieldReader.h - Typed access to the fields of a message ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/ProtoWire.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mkc::onnx {

/// An encoded message, where it lies in the file.
struct Message {
  llvm::StringRef bytes;
  uint64_t offset = 0;
};

/// A repeated number field in pieces: packed payloads, or single elements of an
/// unpacked field. Elements follow each other through all pieces.
using PackedPieces = llvm::SmallVector<mkrt::io::ProtoField, 1>;

/// Iterates over the fields of a message:
///
///   FieldReader reader(message);
///   while (reader.next())
///     switch (reader.field()) {
///     case 1: reader.set(name); break;
///     }
///   return reader.error();
///
/// A field that is not asked for is skipped. Asking for a field as what it is
/// not ends the iteration with an error, and so does asking twice for a field
/// through a `set` function: encoders never repeat a singular field.
class FieldReader {
public:
  explicit FieldReader(Message message)
      : reader({reinterpret_cast<const std::byte *>(message.bytes.data()),
                message.bytes.size()},
               message.offset) {}

  bool next() { return failure.empty() && reader.next(current); }
  uint32_t field() const { return current.number; }
  /// Empty if all was well.
  std::string error() const {
    return failure.empty() ? reader.error() : failure;
  }

  llvm::StringRef bytes();
  Message message() { return {bytes(), current.offset}; }
  const mkrt::io::ProtoField &piece() const { return current; }
  /// The elements of a repeated integer field, packed or not.
  void append(llvm::SmallVectorImpl<int64_t> &to);

  void set(llvm::StringRef &to) {
    setOnce([&] { to = bytes(); });
  }
  void set(std::optional<llvm::StringRef> &to) {
    setOnce([&] { to = bytes(); });
  }
  void set(std::optional<Message> &to) {
    setOnce([&] { to = message(); });
  }
  void set(int64_t &to) {
    setOnce([&] { to = integer(); });
  }
  void set(std::optional<int64_t> &to) {
    setOnce([&] { to = integer(); });
  }
  void set(std::optional<float> &to) {
    setOnce([&] { to = float32(); });
  }

private:
  int64_t integer();
  float float32();
  void fail(const char *what);
  template <typename Assign> void setOnce(Assign assign) {
    uint64_t bit = current.number < 64 ? uint64_t(1) << current.number : 0;
    if (seen & bit)
      return fail("occurs twice");
    seen |= bit;
    assign();
  }

  mkrt::io::ProtoReader reader;
  mkrt::io::ProtoField current;
  uint64_t seen = 0;
  std::string failure;
};

} // namespace mkc::onnx
