//===- ImportTest.cpp - Import from memory and of large files -------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/Import.h"

#include "compiler/onnx/WeightFiles.h"
#include "dialects/mk/Mk.h"
#include "dialects/onnx/Onnx.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace mkc;

namespace {

/// A folder that goes with the test.
class ImportTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("mkc-import", folder));
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { message = diagnostic.str(); });
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> full(folder);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }
  void write(llvm::StringRef name, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path(name), error) << bytes;
    ASSERT_FALSE(error);
  }

  llvm::SmallString<128> folder;
  MLIRContext context;
  std::string message;
};

} // namespace

static std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

static std::string number(unsigned field, uint64_t value) {
  return varint(field << 3) + varint(value);
}

/// The head of a length-delimited field.
static std::string head(unsigned field, uint64_t size) {
  return varint(field << 3 | 2) + varint(size);
}

static std::string bytes(unsigned field, llvm::StringRef payload) {
  return head(field, payload.size()) + payload.str();
}

/// A model with one uint8 initialiser "w" of `size` bytes, up to the bytes.
static std::string modelHead(uint64_t size) {
  std::string tensor =
      number(1, size) + number(2, 2) + bytes(8, "w") + head(9, size);
  std::string graph = head(5, tensor.size() + size);
  uint64_t graphSize = graph.size() + tensor.size() + size;
  return number(1, 8) + bytes(8, number(2, 17)) + head(7, graphSize) + graph +
         tensor;
}

static mk::WeightAttr onlyWeight(ModuleOp module) {
  mk::WeightAttr weight;
  module.walk([&](onnx::InitializerOp op) {
    weight = dyn_cast<mk::WeightAttr>(op.getValue());
  });
  return weight;
}

// Tests that a file past 4 GB imports at once, without being read: it has
// holes.
TEST_F(ImportTest, ImportsAFileOfFiveGigabytes) {
  constexpr uint64_t size = 5ull << 30;
  std::string start = modelHead(size);
  write("huge.onnx", start);
  ASSERT_EQ(truncate(path("huge.onnx").c_str(), start.size() + size), 0);

  OwningOpRef<ModuleOp> module = importOnnx(path("huge.onnx"), context);
  ASSERT_TRUE(module) << message;
  mk::WeightAttr weight = onlyWeight(*module);
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight.getOffset(), start.size());
  EXPECT_EQ(weight.getBytes(), size);
  EXPECT_EQ(weight.getFile(), path("huge.onnx"));

  onnx::WeightStore store;
  auto data = store.bytes(weight);
  ASSERT_TRUE(bool(data));
  EXPECT_EQ(data->size(), size);
  EXPECT_EQ(data->back(), '\0');
}

// Tests that a model in memory refers to itself by its name.
TEST_F(ImportTest, ImportsFromMemory) {
  constexpr uint64_t size = 100'000;
  std::string model = modelHead(size) + std::string(size, 'x');
  OwningOpRef<ModuleOp> module =
      importOnnx(model, "memory", std::nullopt, context);
  ASSERT_TRUE(module) << message;

  onnx::WeightStore store;
  store.addMemory("memory", model);
  auto data = store.bytes(onlyWeight(*module));
  ASSERT_TRUE(bool(data));
  EXPECT_EQ(*data, std::string(size, 'x'));
}

// Tests that a model in memory has no external data unless it has a folder.
TEST_F(ImportTest, RefusesExternalDataWithoutAFolder) {
  write("data.bin", "abcd");
  std::string entry = bytes(1, "location") + bytes(2, "data.bin");
  std::string tensor = number(1, 4) + number(2, 2) + bytes(8, "w") +
                       bytes(13, entry) + number(14, 1);
  std::string model = number(1, 8) + bytes(7, bytes(5, tensor));
  EXPECT_FALSE(importOnnx(model, "memory", std::nullopt, context));
  EXPECT_EQ(message, "tensor is in the external file 'data.bin', but the model "
                     "was given without a folder");
  EXPECT_TRUE(importOnnx(model, "memory", folder.str().str(), context));
}

// Tests that no cut of a model crashes the importer.
TEST_F(ImportTest, SurvivesTruncation) {
  std::string model = modelHead(50) + std::string(50, 'x');
  for (size_t size = 0; size < model.size(); ++size)
    EXPECT_FALSE(importOnnx(llvm::StringRef(model).take_front(size), "cut",
                            std::nullopt, context))
        << size;
}

// Tests that what is no regular file is refused and not waited for.
TEST_F(ImportTest, RefusesPipesAndFolders) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(importOnnx(path("pipe"), context));
  EXPECT_NE(message.find("is not a regular file"), std::string::npos);
  EXPECT_FALSE(importOnnx(folder, context));
  EXPECT_NE(message.find("is not a regular file"), std::string::npos);
}

// Tests that a weight outside its file is an error that names both sizes.
TEST_F(ImportTest, WeightStoreChecksBounds) {
  write("w.bin", "0123456789");
  context.loadDialect<mk::MkDialect>();
  auto type = RankedTensorType::get({4}, IntegerType::get(&context, 8));
  auto weightAt = [&](uint64_t offset, uint64_t size) {
    return mk::WeightAttr::get(&context, path("w.bin"), offset, size, 0, type);
  };
  onnx::WeightStore store;
  auto good = store.bytes(weightAt(6, 4));
  ASSERT_TRUE(bool(good));
  EXPECT_EQ(*good, "6789");
  for (auto [offset, size] :
       {std::pair<uint64_t, uint64_t>{7, 4}, {11, 0}, {UINT64_MAX, 4}}) {
    auto bad = store.bytes(weightAt(offset, size));
    ASSERT_FALSE(bool(bad));
    EXPECT_EQ(llvm::toString(bad.takeError()),
              path("w.bin") + ": a weight of " + std::to_string(size) +
                  " bytes at offset " + std::to_string(offset) +
                  " lies outside the file's 10 bytes");
  }
}

// Tests that threads share one mapping of a file.
TEST_F(ImportTest, WeightStoreMapsOnce) {
  write("w.bin", "0123456789");
  write("empty.bin", "");
  onnx::WeightStore store;
  const char *seen[4];
  std::vector<std::thread> threads;
  for (const char *&data : seen)
    threads.emplace_back([&store, &data, file = path("w.bin")] {
      data = llvm::cantFail(store.file(file)).data();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const char *data : seen)
    EXPECT_EQ(data, seen[0]);
  EXPECT_EQ(llvm::cantFail(store.file(path("empty.bin"))), "");
}
