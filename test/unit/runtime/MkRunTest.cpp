//===- MkRunTest.cpp - The tool mk-run, as a process ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Package.h"
#include "runtime/io/Elements.h"
#include "runtime/io/Files.h"
#include "runtime/io/Npy.h"
#include "runtime/io/Npz.h"
#include "runtime/io/Zip.h"
#include "test/unit/runtime/TestPackage.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace mkrt;
using namespace mkrt::format;
using namespace mkrt::test;
using testing::HasSubstr;

namespace {
struct Output {
  int code;
  std::string out, err;
};

class MkRun : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/mk-run-test";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    TestPackage p(2);
    p.parts.hostObject = testKernels();
    p.parts.program.arenaBytes = 64;
    p.input("x", types::Int32, {2, 3});
    p.input("b=16", types::BFloat16, {3, 2});
    p.output("y", types::Int32, {6});
    uint32_t increment = p.kernel("increment", 6, 2);
    OperandRef a(Space::Arena, 0, 0);
    p.record(0, increment, {a, {Space::Input, 0, 0}}, {}, {{0, 1}});
    p.record(1, increment, {{Space::Output, 0, 0}, a}, {{0, 1}});
    ASSERT_EQ(writePackage(path("p.mkp"), p.finish(), {}, 0), "");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string &name) const {
    return folder_ + "/" + name;
  }

  static std::string text(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Runs in the test's folder.
  Output run(const std::string &arguments) const {
    // Redirections of the arguments come last, so they count.
    std::string command = "cd " + folder_ +
                          " && >stdout.txt 2>stderr.txt " MKC_MK_RUN " " +
                          arguments;
    int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            text(path("stdout.txt")), text(path("stderr.txt"))};
  }

  void writeNpyFile(const std::string &name, const io::Tensor &tensor) const {
    std::vector<std::byte> bytes = io::writeNpy(tensor);
    std::ofstream(path(name), std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               std::streamsize(bytes.size()));
  }

  std::string folder_;
};
} // namespace

TEST_F(MkRun, RunsWithInputsOfAllForms) {
  io::Tensor x, b;
  ASSERT_EQ(io::Tensor::allocate(types::Int32, {2, 3}, x), "");
  for (int i = 0; i < 6; ++i)
    io::setInteger(x, i, 10 * i);
  writeNpyFile("x.npy", x);
  ASSERT_EQ(io::Tensor::allocate(types::UInt16, {3, 2}, b), "");
  std::pair<std::string, const io::Tensor *> both[] = {
      {"x", &x}, {"b=16", &b}, {"unused", &b}};
  ASSERT_EQ(io::writeNpz(path("in.npz"), both), "");

  for (std::string inputs : {"--input x=x.npy", "--inputs in.npz"}) {
    Output o = run("p.mkp --threads 2 --outputs out.npz " + inputs);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out, "y: int32 [6] min=2 max=52 mean=27\n");
    io::NamedTensors out;
    ASSERT_EQ(io::readNpz(path("out.npz"), out), "");
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].first, "y");
    EXPECT_EQ(io::integerAt(out[0].second, 5), 52);
  }
  Output o = run("p.mkp --input x=zeros --input b=16=random:3:0:1");
  EXPECT_EQ(o.out, "y: int32 [6] min=2 max=2 mean=2\n");
  o = run("p.mkp --input x=random:5:7:7 --runs=3 --json");
  EXPECT_EQ(o.code, 0);
  auto json = nlohmann::json::parse(o.out);
  EXPECT_EQ(json["runs"], 3);
  EXPECT_EQ(json["outputs"][0]["name"], "y");
  EXPECT_EQ(json["outputs"][0]["mean"], 9);
  EXPECT_EQ(json["outputs"][0]["shape"], nlohmann::json::array({6}));
}

TEST_F(MkRun, RefusesBadInputsWithCode2) {
  io::Tensor wrong;
  ASSERT_EQ(io::Tensor::allocate(types::Int32, {3, 2}, wrong), "");
  writeNpyFile("shape.npy", wrong);
  ASSERT_EQ(io::Tensor::allocate(types::Float, {2, 3}, wrong), "");
  writeNpyFile("type.npy", wrong);
  std::ofstream(path("junk.mkp")) << "junk";
  auto error = [&](const std::string &arguments) {
    Output o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_EQ(o.out, "");
    return o.err;
  };
  EXPECT_EQ(error("p.mkp --input x=shape.npy"),
            "p.mkp: error: shape.npy: input 'x' has shape [3, 2], expected "
            "[2, 3]\n");
  EXPECT_EQ(error("p.mkp --input x=type.npy"),
            "p.mkp: error: type.npy: input 'x' has type float32, expected "
            "int32\n");
  EXPECT_EQ(error("p.mkp --input z=zeros"),
            "p.mkp: error: the model has no input 'z': it has 'x', 'b=16'\n");
  EXPECT_THAT(error("p.mkp --input x=random:a"), HasSubstr("not of the form"));
  EXPECT_THAT(error("p.mkp --input x=none.npy"), HasSubstr("No such file"));
  EXPECT_THAT(error("none.mkp"), HasSubstr("none.mkp: error: cannot open"));
  EXPECT_THAT(error("junk.mkp"), HasSubstr("junk.mkp: error: not a package"));
  EXPECT_THAT(error("p.mkp --threads=0"), HasSubstr("--threads"));
  error("");
  error("p.mkp --no-such-option");
  EXPECT_EQ(run("--help").code, 0);
}

TEST_F(MkRun, FailsWithCode3WhenOutputsCannotBeWritten) {
  Output o = run("p.mkp --outputs none/out.npz");
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, HasSubstr("none/out.npz: error: cannot create the file"));
}

TEST_F(MkRun, FailsWithCode3WhenResultsCannotBePrinted) {
  for (std::string arguments : {"p.mkp", "p.mkp --json", "--help"}) {
    Output o = run(arguments + " >/dev/full");
    EXPECT_EQ(o.code, 3) << arguments;
    EXPECT_THAT(o.err, HasSubstr("mk-run: error: cannot write the results: No "
                                 "space left on device"));
  }
}

TEST_F(MkRun, FailsWithCode3WithoutMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers need more address space than a limit leaves";
#endif
  std::ofstream(path("big.npy")) << "";
  std::filesystem::resize_file(path("big.npy"), uint64_t(2) << 30);
  std::string command = "cd " + folder_ +
                        " && ulimit -v 1000000 && " MKC_MK_RUN
                        " p.mkp --input x=big.npy 2>stderr.txt";
  int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(text(path("stderr.txt")), "mk-run: error: out of memory\n");
}

TEST_F(MkRun, DoesNotWaitForPipes) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (std::string arguments :
       {"pipe", "p.mkp --input x=pipe.npy", "p.mkp --inputs pipe"}) {
    std::filesystem::remove(path("pipe.npy"));
    ASSERT_EQ(mkfifo(path("pipe.npy").c_str(), 0600), 0);
    Output o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_THAT(o.err, HasSubstr("not a regular file"));
  }
}

/// Arrays that are no inputs may be of any type.
TEST_F(MkRun, LooksAtTheInputsOfACaseOnly) {
  io::Tensor x;
  ASSERT_EQ(io::Tensor::allocate(types::Int32, {2, 3}, x), "");
  io::ZipWriter writer(path("in.npz"));
  writer.add("label.npy", std::as_bytes(std::span("\x93NUMPY of strings")));
  writer.add("x.npy", io::writeNpy(x));
  ASSERT_EQ(writer.finish(), "");
  Output o = run("p.mkp --inputs in.npz");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "y: int32 [6] min=2 max=2 mean=2\n");
}

TEST_F(MkRun, ChecksTheScheduleWhenAsked) {
  EXPECT_EQ(run("p.mkp --check").code, 0);
  TestPackage p(2);
  p.parts.hostObject = testKernels();
  p.input("x", types::Int32, {1});
  p.output("y", types::Int32, {1});
  AccessBuilder b;
  auto zero = b.constant(0), four = b.constant(4);
  std::vector<AccessEntry> entries = {
      b.entry(0, AccessMode::Write, zero, {}, four),
      b.entry(1, AccessMode::Read, zero, {}, four)};
  uint32_t increment = p.kernel("increment", 1, 2, b, entries);
  for (unsigned queue : {0u, 1u})
    p.record(queue, increment, {{Space::Output, 0, 0}, {Space::Input, 0, 0}});
  ASSERT_EQ(writePackage(path("race.mkp"), p.finish(), {}, 0), "");
  EXPECT_EQ(run("race.mkp").code, 0);
  Output o = run("race.mkp --check");
  EXPECT_EQ(o.code, 1);
  EXPECT_THAT(o.err,
              HasSubstr("race.mkp: error: the schedule is refused (race)"));
}
