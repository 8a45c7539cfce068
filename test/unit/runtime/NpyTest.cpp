//===- NpyTest.cpp - Reading and writing .npy and .npz --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Npy.h"
#include "runtime/io/Elements.h"
#include "runtime/io/Files.h"
#include "runtime/io/Npz.h"
#include "runtime/io/Zip.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace mkrt::io;
using testing::ElementsAre;
using testing::HasSubstr;

static std::string dataFile(const std::string &name) {
  return std::string(MKC_TEST_DATA) + "/" + name;
}

static std::vector<std::byte> data(const std::string &name) {
  std::vector<std::byte> bytes;
  EXPECT_EQ(readFile(dataFile(name), bytes), "");
  return bytes;
}

static Tensor npy(const std::string &name) {
  Tensor tensor;
  EXPECT_EQ(readNpy(data(name), tensor), "") << name;
  return tensor;
}

/// Files of make.py that hold 0..23 in the shape 2 x 3 x 4.
TEST(Npy, ReadsWhatNumpyWrote) {
  for (auto [name, type] : {std::pair("ramp-f32.npy", types::Float),
                            std::pair("ramp-i64-fortran.npy", types::Int64),
                            std::pair("ramp-i16-v2.npy", types::Int16),
                            std::pair("ramp-f64-v3.npy", types::Double)}) {
    Tensor t = npy(name);
    EXPECT_EQ(t.type(), type);
    ASSERT_THAT(t.shape(), ElementsAre(2, 3, 4)) << name;
    for (unsigned i = 0; i < 24; ++i)
      EXPECT_EQ(numberAt(t, i), i) << name;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.bytes().data()) % 64, 0u);
  }
  Tensor bools = npy("bools.npy");
  EXPECT_EQ(bools.type(), types::Bool);
  EXPECT_EQ(integerAt(bools, 1), 0);
  Tensor scalar = npy("scalar-f16.npy");
  EXPECT_TRUE(scalar.shape().empty());
  EXPECT_EQ(numberAt(scalar, 0), -1.5);
  EXPECT_THAT(npy("empty-u8.npy").shape(), ElementsAre(0, 5));
}

TEST(Npy, RefusesBadFiles) {
  Tensor t;
  EXPECT_EQ(readNpy(data("big-endian.npy"), t),
            "type '>i4' is big-endian, only little-endian is read");
  std::vector<std::byte> good = data("ramp-f32.npy");
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(readNpy(std::span(good).first(size), t), "") << size;
  for (size_t i = 0; i < 128; ++i)
    for (int value : {0x00, 0x20, 0x27, 0x28, 0x2c, 0x39, 0xff}) {
      std::vector<std::byte> bad = good;
      bad[i] = std::byte(value);
      (void)readNpy(bad, t);
    }
  std::string text(reinterpret_cast<const char *>(good.data()), good.size());
  size_t at = text.find("(2, 3, 4)");
  text.replace(at, 9, "(9, 3, 4)");
  EXPECT_EQ(readNpy(std::as_bytes(std::span(text)), t),
            "a .npy array of shape [9, 3, 4] needs 432 bytes, the file has 96");
}

TEST(Npy, WritesWhatItReads) {
  for (auto type :
       {types::Float, types::Int8, types::Bool, types::UInt64, types::Complex64,
        types::BFloat16, types::Float8E5M2, types::Int4, types::UInt2})
    for (auto shape : {std::vector<int64_t>{}, {5}, {2, 3}, {0, 2}}) {
      Tensor t, back;
      ASSERT_EQ(Tensor::allocate(type, shape, t), "");
      for (size_t i = 0; i < t.elementCount(); ++i)
        t.bytes()[i * t.bytes().size() / t.elementCount()] = std::byte(i % 2);
      ASSERT_EQ(readNpy(writeNpy(t), back), "");
      ASSERT_EQ(restoreType(back, type), "");
      EXPECT_EQ(back.type(), type);
      EXPECT_TRUE(std::ranges::equal(t.shape(), back.shape()));
      EXPECT_TRUE(std::ranges::equal(t.bytes(), back.bytes())) << type;
    }
  Tensor t;
  ASSERT_EQ(Tensor::allocate(types::Float, {1}, t), "");
  EXPECT_EQ(restoreType(t, types::BFloat16),
            "has type float32, expected bfloat16");
}

TEST(Npz, ReadsWhatNumpyWrote) {
  NamedTensors tensors;
  ASSERT_EQ(readNpz(dataFile("stored.npz"), tensors), "");
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].first, "a/b");
  EXPECT_EQ(integerAt(tensors[0].second, 23), 23);
  EXPECT_EQ(tensors[1].first, "x");
  EXPECT_EQ(numberAt(tensors[1].second, 1), -2);
  ASSERT_EQ(readNpz(dataFile("deflated.npz"), tensors), "");
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_THAT(tensors[0].second.shape(), ElementsAre(100, 100));
  EXPECT_EQ(integerAt(tensors[1].second, 7), 7);
}

TEST(Npz, WritesWhatItReads) {
  std::string path = testing::TempDir() + "/mkc-npz-test.npz";
  Tensor a, b;
  ASSERT_EQ(Tensor::allocate(types::Int32, {3}, a), "");
  ASSERT_EQ(Tensor::allocate(types::Float, {2, 2}, b), "");
  setInteger(a, 2, -9);
  setNumber(b, 3, 0.5);
  std::pair<std::string, const Tensor *> list[] = {{"a", &a}, {"dir/b", &b}};
  ASSERT_EQ(writeNpz(path, list), "");
  NamedTensors back;
  ASSERT_EQ(readNpz(path, back), "");
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(integerAt(back[0].second, 2), -9);
  EXPECT_EQ(back[1].first, "dir/b");
  EXPECT_EQ(numberAt(back[1].second, 3), 0.5);
  std::filesystem::remove(path);
  EXPECT_THAT(readNpz(path, back), HasSubstr("cannot open the file"));
  EXPECT_THAT(writeNpz("/nonexistent/x.npz", list), HasSubstr("No such file"));
}

TEST(Npz, ReadsOnlyWhatIsWanted) {
  std::string path = testing::TempDir() + "/mkc-npz-wanted.npz";
  Tensor a;
  ASSERT_EQ(Tensor::allocate(types::Int32, {3}, a), "");
  std::vector<std::byte> array = writeNpy(a);
  auto text = std::as_bytes(std::span("no array"));
  ZipWriter writer(path);
  writer.add("label.npy", text);
  writer.add("x.npy", array);
  writer.add("twice.npy", array);
  writer.add("twice.npy", array);
  ASSERT_EQ(writer.finish(), "");
  NamedTensors tensors;
  auto wants = [&](std::vector<std::string> names) {
    return readNpz(
        path,
        [&](const std::string &name) {
          return std::ranges::find(names, name) != names.end();
        },
        tensors);
  };
  ASSERT_EQ(wants({"x", "absent"}), "");
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors[0].first, "x");
  EXPECT_THAT(wants({"x", "label"}), HasSubstr("'label.npy': "));
  EXPECT_EQ(wants({"twice"}), path + ": 'twice.npy' is there twice");
  EXPECT_THAT(readNpz(path, tensors), HasSubstr("'label.npy': "));
  std::filesystem::remove(path);
}

TEST(Zip, NamesThatDoNotFitAreRefused) {
  std::string path = testing::TempDir() + "/mkc-zip-name.npz";
  std::filesystem::remove(path);
  ZipWriter good(path), bad(path);
  good.add(std::string(UINT16_MAX, 'n'), {});
  EXPECT_EQ(good.finish(), "");
  std::vector<std::byte> bytes;
  ASSERT_EQ(readFile(path, bytes), "");
  std::vector<ZipMember> members;
  EXPECT_EQ(readZipDirectory(bytes, members), "");
  ASSERT_EQ(members.size(), 1u);
  EXPECT_EQ(members[0].name.size(), UINT16_MAX);
  std::filesystem::remove(path);
  bad.add(std::string(UINT16_MAX + 1, 'n'), {});
  bad.add("short", {});
  EXPECT_THAT(bad.finish(), HasSubstr("has 65536 bytes, a zip archive holds "
                                      "names of up to 65535"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// Reads all members; true if none is refused.
static bool readAll(std::span<const std::byte> archive) {
  std::vector<ZipMember> members;
  if (!readZipDirectory(archive, members).empty())
    return false;
  bool ok = true;
  for (const ZipMember &member : members) {
    std::vector<std::byte> bytes;
    Tensor t;
    ok &= readZipMember(archive, member, bytes).empty() &&
          readNpy(bytes, t).empty();
  }
  return ok;
}

TEST(Zip, DamagedArchivesAreRefusedOrHarmless) {
  for (const char *name : {"stored.npz", "deflated.npz"}) {
    std::vector<std::byte> good = data(name);
    ASSERT_TRUE(readAll(good));
    for (size_t size = 0; size < good.size(); ++size)
      EXPECT_FALSE(readAll(std::span(good).first(size))) << size;
    for (size_t i = 0; i < good.size(); ++i)
      for (int value : {0x01, 0x80, 0xff}) {
        std::vector<std::byte> bad = good;
        bad[i] ^= std::byte(value);
        (void)readAll(bad);
      }
  }
}

TEST(Files, PipesAndDevicesAreRefused) {
  std::string pipe = testing::TempDir() + "/mkc-io-pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::vector<std::byte> bytes;
  EXPECT_EQ(readFile(pipe, bytes), pipe + ": not a regular file");
  EXPECT_EQ(readFile("/dev/zero", bytes), "/dev/zero: not a regular file");
  std::filesystem::remove(pipe);
}

TEST(Files, NaturalOrder) {
  EXPECT_TRUE(naturalLess("input_2.pb", "input_10.pb"));
  EXPECT_FALSE(naturalLess("input_10.pb", "input_2.pb"));
  EXPECT_TRUE(naturalLess("a", "b"));
  EXPECT_TRUE(naturalLess("case", "case1"));
  EXPECT_TRUE(naturalLess("01", "1"));
  EXPECT_FALSE(naturalLess("1", "1"));
  std::vector<std::string> names;
  ASSERT_EQ(listFolder(MKC_TEST_DATA, "ramp-", ".npy", names), "");
  EXPECT_THAT(names, ElementsAre("ramp-f32.npy", "ramp-f64-v3.npy",
                                 "ramp-i16-v2.npy", "ramp-i64-fortran.npy"));
  EXPECT_THAT(listFolder("/nonexistent", "", "", names),
              HasSubstr("cannot list the folder"));
}
