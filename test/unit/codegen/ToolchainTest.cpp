//===- ToolchainTest.cpp - Compiling and linking for all chips ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Needs NVRTC and nvJitLink, which scripts/setup.sh installs; no GPU.
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/Toolchain.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

using namespace mkc;
using namespace mkc::cuda;
using namespace testing;
namespace fs = std::filesystem;

namespace {
class Toolchain : public Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "mkc-test-XXXXXX").string();
    folder = mkdtemp(name.data());
    create(toolchain);
  }
  void TearDown() override { fs::remove_all(folder); }

  void create(std::unique_ptr<CudaToolchain> &out) {
    std::string error = CudaToolchain::create(folder, out);
    LibraryFiles files;
    if (!error.empty() && !findLibraries(files).empty())
      GTEST_SKIP() << error;
    ASSERT_EQ(error, "");
  }

  static const CudaChip &chip(std::string_view target) {
    std::string error;
    return *findCudaChip(target, error);
  }

  /// A program of one kernel with that body.
  static std::vector<CudaModule> program(const std::string &body) {
    ProgramKernel kernel{0, false, true, "'a' (Add)"};
    return {{"k0.cu", "#include \"mk.cuh\"\n"
                      "// mk-node: 'a' (Add)\n"
                      "MK_ENTRY k0_compute(u32 slot, u32 seq) {\n" +
                          body + "\n  return seq;\n}\n"},
            {"program.cu", programText(std::span(&kernel, 1))}};
  }

  std::string folder;
  std::unique_ptr<CudaToolchain> toolchain;
};
} // namespace

static const char kBody[] =
    "  st_f32(mk_operand<1>(slot, 0), mk_thread(), 1.f);";

// Tests that a program links for every chip, traced or not, and that the result
// is an ELF file.
TEST_F(Toolchain, AllChips) {
  for (const CudaChip &row : cudaChips()) {
    if (&row != &chip(row.architecture->name))
      continue; // chips of an architecture differ in speed only
    for (bool trace : {false, true}) {
      CudaBuild build =
          toolchain->build(row, {.trace = trace}, program(kBody), 2);
      ASSERT_TRUE(build.ok()) << row.target() << ": " << build.format();
      EXPECT_THAT(build.diagnostics, IsEmpty())
          << build.diagnostics.front().format();
      ASSERT_GT(build.cubin->size(), 4u);
      EXPECT_EQ(std::memcmp(build.cubin->data(), "\177ELF", 4), 0);
    }
  }
}

// Tests that tracing changes the code, and that it is not in the cache under
// the same key.
TEST_F(Toolchain, SettingsAreInTheKey) {
  CudaBuild plain = toolchain->build(chip("sm_90a"), {}, program(kBody), 1);
  CudaBuild traced =
      toolchain->build(chip("sm_90a"), {.trace = true}, program(kBody), 1);
  ASSERT_TRUE(plain.ok() && traced.ok());
  EXPECT_EQ(traced.compiled, 2u);
  EXPECT_NE(*plain.cubin, *traced.cubin);
}

// Tests that a second build compiles nothing, in the same process and in
// another, that a changed module alone is compiled again, and that the bytes
// depend on neither cache nor threads.
TEST_F(Toolchain, CacheByContent) {
  CudaBuild first = toolchain->build(chip("sm_90a"), {}, program(kBody), 1);
  ASSERT_TRUE(first.ok()) << first.format();
  EXPECT_EQ(first.compiled, 2u);
  CudaBuild again = toolchain->build(chip("sm_90a"), {}, program(kBody), 2);
  EXPECT_EQ(again.compiled, 0u);
  EXPECT_EQ(*again.cubin, *first.cubin);

  std::unique_ptr<CudaToolchain> other;
  create(other);
  CudaBuild fromDisk = other->build(chip("sm_90a"), {}, program(kBody), 2);
  EXPECT_EQ(fromDisk.compiled, 0u);
  EXPECT_EQ(*fromDisk.cubin, *first.cubin);
  std::string changed = std::string(kBody) + " mk_sync();";
  EXPECT_EQ(other->build(chip("sm_90a"), {}, program(changed), 2).compiled, 1u);

  fs::remove_all(folder);
  std::unique_ptr<CudaToolchain> fresh;
  create(fresh);
  CudaBuild parallel = fresh->build(chip("sm_90a"), {}, program(kBody), 4);
  EXPECT_EQ(parallel.compiled, 2u);
  EXPECT_EQ(*parallel.cubin, *first.cubin);
}

// Tests that damaged files of the cache are compiled again.
TEST_F(Toolchain, DamagedCache) {
  CudaBuild first = toolchain->build(chip("sm_80"), {}, program(kBody), 1);
  ASSERT_TRUE(first.ok()) << first.format();
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::fstream file(entry.path(),
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put('x').put('y');
  }
  std::unique_ptr<CudaToolchain> other;
  create(other);
  CudaBuild again = other->build(chip("sm_80"), {}, program(kBody), 1);
  EXPECT_EQ(again.compiled, 2u);
  EXPECT_EQ(*again.cubin, *first.cubin);
}

// Tests that an error shows the emitted line and its node, in the module itself
// and through a template of the library; and that nothing of it is cached.
TEST_F(Toolchain, ErrorsNameTheNode) {
  auto modules = program("  float broken = undefined_name;");
  CudaBuild build = toolchain->build(chip("sm_90a"), {}, modules, 2);
  EXPECT_FALSE(build.ok());
  EXPECT_EQ(build.format(),
            "k0.cu:4: error: identifier \"undefined_name\" is undefined, from "
            "node 'a' (Add)\n  float broken = undefined_name;");
  EXPECT_EQ(toolchain->build(chip("sm_90a"), {}, modules, 2).compiled, 1u);

  modules = program("  return mk_load_tiles<17>(slot, seq, nullptr);");
  build = toolchain->build(chip("sm_90a"), {}, modules, 2);
  EXPECT_THAT(build.format(),
              AllOf(HasSubstr("mk_pages.cuh:"), HasSubstr("'a' (Add)"),
                    HasSubstr("mk_load_tiles<17>")));
}

// Tests that errors of several modules are all reported, in module order.
TEST_F(Toolchain, AllErrors) {
  auto modules = program("  one;");
  modules.push_back({"k1.cu", "#include \"mk.cuh\"\ntwo;\n"});
  CudaBuild build = toolchain->build(chip("sm_90a"), {}, modules, 2);
  EXPECT_THAT(build.format(), AllOf(HasSubstr("k0.cu:4: error: identifier"),
                                    HasSubstr("k1.cu:2: error: ")));
  EXPECT_LT(build.format().find("k0.cu"), build.format().find("k1.cu"));
}

// Tests that a kernel that no module defines is the linker's error.
TEST_F(Toolchain, MissingKernel) {
  auto modules = program(kBody);
  modules.erase(modules.begin());
  CudaBuild build = toolchain->build(chip("sm_90a"), {}, modules, 1);
  EXPECT_FALSE(build.ok());
  EXPECT_THAT(build.format(),
              AllOf(HasSubstr("linking for sm_90a"), HasSubstr("k0_compute")));
}

// Tests that an architecture that NVRTC does not know is refused with both
// sides, and nothing is compiled.
TEST_F(Toolchain, UnknownArchitecture) {
  CudaArchitecture future = *chip("sm_107a").architecture;
  future.name = "sm_999a";
  future.major = 99;
  future.minor = 9;
  CudaChip row = chip("sm_107a");
  row.architecture = &future;
  CudaBuild build = toolchain->build(row, {}, program(kBody), 1);
  EXPECT_THAT(build.error, AllOf(HasSubstr("cannot compile for sm_999a"),
                                 HasSubstr("sm_90"), HasSubstr("NVRTC 1")));
  EXPECT_EQ(build.compiled, 0u);
}
