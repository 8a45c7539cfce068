//===- Wire.cpp - Reader of the protobuf wire format --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/Wire.h"

#include <cstring>

using namespace llvm;
using namespace mkc::onnx;

/// Reads a varint at `pos` and moves past it. False when it is cut off or
/// longer than the ten bytes of 64 bits.
static bool decodeVarint(const char *&pos, const char *end, uint64_t &result) {
  result = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (pos == end)
      return false;
    auto byte = static_cast<uint8_t>(*pos++);
    result |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

void WireReader::fail(const char *at, const char *what) {
  if (!failure)
    failure = WireError{at, what};
  pos = end;
}

bool WireReader::readVarint(uint64_t &result) {
  const char *start = pos;
  if (decodeVarint(pos, end, result))
    return true;
  fail(start, "a number is cut off or too long");
  return false;
}

bool WireReader::take(uint64_t size) {
  if (size > uint64_t(end - pos)) {
    fail(fieldStart, "a field is longer than the message that holds it");
    return false;
  }
  payload = StringRef(pos, size);
  pos += size;
  return true;
}

bool WireReader::next() {
  if (failure || pos == end)
    return false;
  fieldStart = pos;
  uint64_t tag;
  if (!readVarint(tag))
    return false;
  if (tag >> 3 == 0 || tag >> 32 != 0) {
    fail(fieldStart, "a field has no valid number");
    return false;
  }
  number = static_cast<uint32_t>(tag >> 3);
  type = static_cast<WireType>(tag & 7);
  const char *start = pos;
  switch (type) {
  case WireType::Varint:
    if (!readVarint(value))
      return false;
    payload = StringRef(start, pos - start);
    return true;
  case WireType::Fixed64:
    return take(8);
  case WireType::Fixed32:
    return take(4);
  case WireType::Length:
    return readVarint(value) && take(value);
  }
  fail(fieldStart, "a field has an unknown wire type");
  return false;
}

StringRef WireReader::bytes() {
  if (type == WireType::Length)
    return payload;
  fail(fieldStart, "a number stands where bytes are expected");
  return {};
}

int64_t WireReader::varint() {
  if (type == WireType::Varint)
    return static_cast<int64_t>(value);
  fail(fieldStart, "an integer is expected");
  return 0;
}

float WireReader::float32() {
  float result = 0;
  if (type == WireType::Fixed32)
    std::memcpy(&result, payload.data(), sizeof(result));
  else
    fail(fieldStart, "a 32-bit float is expected");
  return result;
}

StringRef WireReader::packed() { return payload; }

void WireReader::append(SmallVectorImpl<int64_t> &to) {
  if (type != WireType::Varint && type != WireType::Length)
    return fail(fieldStart, "an integer is expected");
  if (auto error = readVarints(payload, to))
    fail(error->at, error->what);
}

std::optional<WireError> mkc::onnx::readVarints(ArrayRef<StringRef> pieces,
                                                SmallVectorImpl<int64_t> &to) {
  for (StringRef piece : pieces) {
    const char *pos = piece.begin();
    while (pos != piece.end()) {
      const char *start = pos;
      uint64_t value;
      if (!decodeVarint(pos, piece.end(), value))
        return WireError{start, "a number is cut off or too long"};
      to.push_back(static_cast<int64_t>(value));
    }
  }
  return std::nullopt;
}
