//===- FieldReader.cpp - Typed access to the fields of a message ----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/FieldReader.h"

#include <bit>

using namespace llvm;
using namespace mkc::onnx;
using mkrt::io::WireType;

void FieldReader::fail(const char *what) {
  failure = "malformed protobuf at byte " + std::to_string(current.offset) +
            ": field " + std::to_string(current.number) + " " + what;
}

StringRef FieldReader::bytes() {
  if (current.type != WireType::Bytes)
    fail("is a number, where bytes are expected");
  return {reinterpret_cast<const char *>(current.bytes.data()),
          current.bytes.size()};
}

int64_t FieldReader::integer() {
  if (current.type != WireType::Varint)
    fail("is not an integer");
  return static_cast<int64_t>(current.value);
}

float FieldReader::float32() {
  if (current.type != WireType::Fixed32)
    fail("is not a 32-bit float");
  return std::bit_cast<float>(static_cast<uint32_t>(current.value));
}

void FieldReader::append(SmallVectorImpl<int64_t> &to) {
  mkrt::io::forEachVarint(
      current,
      [&](uint64_t value) { to.push_back(static_cast<int64_t>(value)); },
      failure);
}
