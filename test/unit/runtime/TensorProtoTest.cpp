//===- TensorProtoTest.cpp - Reading TensorProto --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/TensorProto.h"
#include "runtime/io/Elements.h"
#include "runtime/io/Files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mkrt::io;
using testing::ElementsAre;
using testing::HasSubstr;

static std::string dataFile(const std::string &name) {
  return std::string(MKC_TEST_DATA) + "/" + name;
}

static std::vector<double> numbers(const std::string &name, DataType type) {
  Tensor t;
  EXPECT_EQ(readTensorProto(dataFile(name), t), "");
  EXPECT_EQ(t.type(), type) << name;
  std::vector<double> values;
  for (uint64_t i = 0; i < t.elementCount(); ++i)
    values.push_back(numberAt(t, i));
  return values;
}

TEST(TensorProto, ReadsWhatOnnxWrote) {
  Tensor t;
  std::string name;
  ASSERT_EQ(readTensorProto(dataFile("raw-f32.pb"), t, &name), "");
  EXPECT_EQ(name, "ramp");
  EXPECT_THAT(t.shape(), ElementsAre(2, 3, 4));
  EXPECT_EQ(numberAt(t, 23), 23);
  EXPECT_THAT(numbers("typed-f32.pb", types::Float), ElementsAre(1, -2.5, 3));
  EXPECT_THAT(numbers("typed-i64.pb", types::Int64),
              ElementsAre(1, -2, 3, -0x1p62));
  EXPECT_THAT(numbers("typed-bool.pb", types::Bool), ElementsAre(1, 0, 1));
  EXPECT_THAT(numbers("typed-f64.pb", types::Double), ElementsAre(0.1));
  EXPECT_THAT(numbers("typed-u64.pb", types::UInt64), ElementsAre(0x1p63, 5));
  EXPECT_THAT(numbers("typed-f16.pb", types::Float16), ElementsAre(1.5, -0.25));
  EXPECT_THAT(numbers("typed-bf16.pb", types::BFloat16),
              ElementsAre(1.5, -0.25));
  EXPECT_THAT(numbers("typed-i4.pb", types::Int4), ElementsAre(-8, 7, -1));
  EXPECT_THAT(readTensorProto(dataFile("strings.pb"), t),
              HasSubstr("strings.pb: string tensors are not supported"));
}

/// 2^32 + 1 has the lower half of "float".
TEST(TensorProto, RefusesTypesBeyondTheirBits) {
  const unsigned char bytes[] = {0x08, 1, 0x10, 0x81, 0x80, 0x80, 0x80, 0x10};
  TensorProtoView view;
  EXPECT_THAT(parseTensorProto(std::as_bytes(std::span(bytes)), 0, view),
              HasSubstr("data type is 4294967297"));
}

/// dims and float_data, each number with a key of its own (not packed).
TEST(TensorProto, ReadsUnpackedNumbers) {
  const unsigned char bytes[] = {0x08, 2,    0x10, 1, 0x25, 0, 0,
                                 0x80, 0x3f, 0x25, 0, 0,    0, 0x40};
  TensorProtoView view;
  ASSERT_EQ(parseTensorProto(std::as_bytes(std::span(bytes)), 0, view), "");
  Tensor t;
  ASSERT_EQ(tensorOf(view, t), "");
  EXPECT_THAT(t.shape(), ElementsAre(2));
  EXPECT_EQ(numberAt(t, 0), 1);
  EXPECT_EQ(numberAt(t, 1), 2);
}

TEST(TensorProto, SaysWhereRawDataLies) {
  std::vector<std::byte> bytes;
  ASSERT_EQ(readFile(dataFile("raw-f32.pb"), bytes), "");
  TensorProtoView view;
  ASSERT_EQ(parseTensorProto(bytes, 1000, view), "");
  EXPECT_EQ(view.raw.bytes.data(), bytes.data() + (view.raw.offset - 1000));
}

TEST(TensorProto, DamagedFilesAreRefusedOrHarmless) {
  for (const char *name : {"raw-f32.pb", "typed-f32.pb", "typed-i64.pb"}) {
    std::vector<std::byte> good;
    ASSERT_EQ(readFile(dataFile(name), good), "");
    auto read = [](std::span<const std::byte> bytes) {
      TensorProtoView view;
      Tensor t;
      std::string error = parseTensorProto(bytes, 0, view);
      return error.empty() ? tensorOf(view, t) : error;
    };
    for (size_t size = 0; size < good.size(); ++size)
      (void)read(std::span(good).first(size));
    for (size_t i = 0; i < good.size(); ++i)
      for (int value : {0x01, 0x08, 0x80, 0xff}) {
        std::vector<std::byte> bad = good;
        bad[i] ^= std::byte(value);
        (void)read(bad);
      }
  }
  // A shape that asks for far more than the file has.
  const unsigned char huge[] = {0x08, 0xff, 0xff, 0xff, 0xff, 0xff,
                                0x7f, 0x10, 1,    0x4a, 1,    0};
  TensorProtoView view;
  Tensor t;
  ASSERT_EQ(parseTensorProto(std::as_bytes(std::span(huge)), 0, view), "");
  EXPECT_THAT(tensorOf(view, t), HasSubstr("bytes, the file has 1"));
}

TEST(ProtoWire, SkipsGroupsAndRefusesBadKeys) {
  auto read = [](std::vector<unsigned char> bytes) {
    ProtoReader reader(std::as_bytes(std::span(bytes)));
    ProtoField field;
    std::vector<uint32_t> numbers;
    while (reader.next(field))
      numbers.push_back(field.number);
    EXPECT_TRUE(reader.error().empty()) << reader.error();
    return numbers;
  };
  // Field 1, group 2 holding field 3 and group 4, field 5.
  EXPECT_THAT(read({0x08, 1, 0x13, 0x18, 7, 0x23, 0x24, 0x14, 0x28, 1}),
              ElementsAre(1, 5));
  auto error = [](std::vector<unsigned char> bytes) {
    ProtoReader reader(std::as_bytes(std::span(bytes)), 100);
    ProtoField field;
    while (reader.next(field))
      ;
    return reader.error();
  };
  EXPECT_EQ(error({0x08, 1, 0x14}),
            "malformed protobuf at byte 103: a group ends that has not begun");
  EXPECT_EQ(error({0x13, 0x08}), "malformed protobuf at byte 102: the message "
                                 "ends inside a number");
  EXPECT_EQ(error({0x12, 5, 1}), "malformed protobuf at byte 102: a field is "
                                 "longer than its message");
  EXPECT_EQ(error({0x00, 1}), "malformed protobuf at byte 101: a field has an "
                              "impossible number");
}
