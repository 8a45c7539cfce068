//===- ProtoWire.cpp - Protocol buffers on the wire -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/ProtoWire.h"

#include <vector>

using namespace mkrt;
using namespace mkrt::io;

static constexpr unsigned kStartGroup = 3, kEndGroup = 4;

bool ProtoReader::fail(const char *what) {
  if (error_.empty())
    error_ = std::string("malformed protobuf at byte ") +
             std::to_string(base_ + at_) + ": " + what;
  return false;
}

bool ProtoReader::varint(uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at_ == message_.size())
      return fail("the message ends inside a number");
    uint64_t byte = uint64_t(message_[at_++]);
    value |= (byte & 127) << shift;
    if (!(byte & 128))
      return true;
  }
  return fail("a number is longer than 64 bits");
}

bool ProtoReader::fixed(unsigned count, uint64_t &value) {
  if (message_.size() - at_ < count)
    return fail("the message ends inside a number");
  value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= uint64_t(message_[at_++]) << (8 * i);
  return true;
}

bool ProtoReader::fixed32(uint32_t &value) {
  uint64_t wide = 0;
  bool ok = fixed(4, wide);
  value = uint32_t(wide);
  return ok;
}

bool ProtoReader::fixed64(uint64_t &value) { return fixed(8, value); }

bool ProtoReader::payload(ProtoField &field) {
  field.offset = base_ + at_;
  switch (field.type) {
  case WireType::Varint:
    return varint(field.value);
  case WireType::Fixed64:
    return fixed64(field.value);
  case WireType::Fixed32:
    return fixed(4, field.value);
  case WireType::Bytes: {
    uint64_t length;
    if (!varint(length))
      return false;
    if (length > message_.size() - at_)
      return fail("a field is longer than its message");
    field.offset = base_ + at_;
    field.bytes = message_.subspan(at_, length);
    at_ += length;
    return true;
  }
  }
  return fail("unknown wire type");
}

bool ProtoReader::next(ProtoField &field) {
  while (error_.empty() && !atEnd()) {
    uint64_t key;
    if (!varint(key))
      return false;
    if (key >> 3 == 0 || key >> 3 > (1u << 29) - 1)
      return fail("a field has an impossible number");
    field = ProtoField();
    field.number = uint32_t(key >> 3);
    if ((key & 7) == kStartGroup) {
      if (!skipGroup(field.number))
        return false;
      continue;
    }
    if ((key & 7) == kEndGroup)
      return fail("a group ends that has not begun");
    field.type = WireType(key & 7);
    return payload(field);
  }
  return false;
}

/// Without recursion, so that deep nesting costs no stack.
bool ProtoReader::skipGroup(uint32_t number) {
  std::vector<uint32_t> open{number};
  while (!open.empty()) {
    uint64_t key;
    if (!varint(key))
      return false;
    if ((key & 7) == kStartGroup) {
      open.push_back(uint32_t(key >> 3));
    } else if ((key & 7) == kEndGroup) {
      if (open.back() != uint32_t(key >> 3))
        return fail("a group ends that has not begun");
      open.pop_back();
    } else {
      ProtoField skipped;
      skipped.type = WireType(key & 7);
      if (!payload(skipped))
        return false;
    }
  }
  return true;
}
