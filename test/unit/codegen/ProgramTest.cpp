//===- ProgramTest.cpp - Program text, logs and the cache -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/Program.h"
#include "codegen/cuda/CompileLog.h"
#include "codegen/cuda/CubinCache.h"
#include "codegen/cuda/DeviceLibrary.h"
#include "codegen/cuda/Libraries.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

using namespace mkc;
using namespace mkc::cuda;
using namespace testing;
namespace fs = std::filesystem;

namespace {
/// A folder that ends with the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "mkc-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  std::string operator/(const std::string &name) const {
    return path_ + "/" + name;
  }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

/// A variable of the environment, for the rest of a test.
class Variable {
public:
  Variable(const char *name, const char *value) : name_(name) {
    if (const char *old = std::getenv(name))
      old_ = old;
    had_ = std::getenv(name);
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { had_ ? setenv(name_, old_.c_str(), 1) : unsetenv(name_); }

private:
  const char *name_;
  std::string old_;
  bool had_;
};
} // namespace

static std::string readFile(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

static void writeFile(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

static Cubin bytesOf(const std::string &text) {
  std::vector<std::byte> bytes;
  for (char c : text)
    bytes.push_back(std::byte(c));
  return std::make_shared<const std::vector<std::byte>>(bytes);
}

//===----------------------------------------------------------------------===//
// Program text
//===----------------------------------------------------------------------===//

// Tests that each entry point has a prototype and a case, and kernels without
// one have none.
TEST(Program, TextOfTwoKernels) {
  std::vector<ProgramKernel> kernels = {{0, false, true, "'a' (Add)"},
                                        {7, true, true, "'m' (MatMul)"}};
  EXPECT_EQ(programText(kernels), R"(#include "mk.cuh"

// k0: 'a' (Add)
MK_ENTRY k0_compute(u32 slot, u32 seq);
// k7: 'm' (MatMul)
MK_ENTRY k7_load(u32 slot, u32 seq);
MK_ENTRY k7_compute(u32 slot, u32 seq);

MK_DEV u32 mk_program_load(u32 kernel, u32 slot, u32 seq) {
  switch (kernel) {
  case 7:
    return k7_load(slot, seq);
  default:
    return seq;
  }
}

MK_DEV u32 mk_program_compute(u32 kernel, u32 slot, u32 seq) {
  switch (kernel) {
  case 0:
    return k0_compute(slot, seq);
  case 7:
    return k7_compute(slot, seq);
  default:
    return seq;
  }
}

#include "mk_persistent.cuh"
)");
}

// Tests that a node's name cannot end its comment: neither by a line's end nor
// by joining the next line to it.
TEST(Program, CommentsStayComments) {
  EXPECT_EQ(commentText("a\nint x;\r\t*/"), "a int x;  */");
  EXPECT_EQ(commentText("path\\to\\"), "path\\to");
  EXPECT_EQ(commentText("a\\\n\\ "), "a");
  EXPECT_EQ(commentText("\\"), "");
  EXPECT_EQ(commentText("Schicht/größe"), "Schicht/größe");
}

// Tests that what differs between chips is in the options.
TEST(Program, OptionsFollowTheRow) {
  std::string error;
  const CudaChip *old = findCudaChip("sm_86", error);
  const CudaChip *rubin = findCudaChip("sm_107a", error);
  ASSERT_TRUE(old && rubin) << error;
  EXPECT_THAT(
      compileOptions(*old, {}),
      IsSupersetOf({"--gpu-architecture=sm_86", "--maxrregcount=168",
                    "--define-macro=MK_PAGES=4", "--define-macro=MK_BULK=0"}));
  EXPECT_THAT(
      compileOptions(*rubin, {}),
      IsSupersetOf({"--gpu-architecture=sm_107a", "--define-macro=MK_PAGES=18",
                    "--define-macro=MK_BULK=1"}));
  EXPECT_THAT(compileOptions(*rubin, {}),
              Not(Contains("--define-macro=MK_TRACE")));
  EXPECT_THAT(compileOptions(*rubin, {.trace = true}),
              Contains("--define-macro=MK_TRACE"));
}

// Tests that the embedded headers are the files, byte by byte, and all of them.
TEST(DeviceLibrary, IsTheFiles) {
  std::set<std::string> names;
  for (const DeviceFile &file : deviceLibrary()) {
    std::string name = file.name, root = MKC_SOURCE_DIR;
    names.insert(name);
    std::string path = name == "cstdint" ? "/codegen/cuda/device/nvrtc/cstdint"
                       : name.starts_with("runtime/")
                           ? "/" + name
                           : "/codegen/cuda/device/" + name;
    EXPECT_EQ(readFile(root + path), file.text) << name;
    EXPECT_NE(std::string(file.text), "") << name;
  }
  for (const auto &entry :
       fs::directory_iterator(MKC_SOURCE_DIR "/codegen/cuda/device"))
    if (entry.path().extension() == ".cuh")
      EXPECT_TRUE(names.contains(entry.path().filename())) << entry.path();
}

//===----------------------------------------------------------------------===//
// Logs
//===----------------------------------------------------------------------===//

static const char kModule[] = "#include \"mk.cuh\"\n"
                              "// mk-node: 'first' (Add)\n"
                              "int f() {\n"
                              "  return x;\n"
                              "}\n"
                              "// mk-node: 'second' (Mul)\n"
                              "int g() { return mk_to_f32(\"a\"); }\n";

// Tests that an error carries the emitted line and the node before it.
TEST(CompileLog, LineAndNode) {
  auto diagnostics = parseCompileLog(
      "k0.cu(4): error: identifier \"x\" is undefined\n"
      "    return x;\n           ^\n\n"
      "k0.cu(7): warning #177-D: function \"g\" was declared but never "
      "referenced\n"
      "1 error detected in the compilation of \"k0.cu\".\n",
      "k0.cu", kModule);
  ASSERT_EQ(diagnostics.size(), 2u);
  EXPECT_EQ(diagnostics[0].format(),
            "k0.cu:4: error: identifier \"x\" is undefined, from node 'first' "
            "(Add)\n  return x;");
  EXPECT_FALSE(diagnostics[1].isError);
  EXPECT_EQ(diagnostics[1].node, "'second' (Mul)");
}

// Tests that an error in a header is shown with the module's line that led
// there.
TEST(CompileLog, ErrorInAHeader) {
  auto diagnostics = parseCompileLog(
      "mk_values.cuh(14): error: no instance matches\n"
      "          detected during instantiation of \"T f(T)\" at line 7 of "
      "k0.cu\n",
      "k0.cu", kModule);
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].module, "mk_values.cuh");
  EXPECT_EQ(diagnostics[0].line, 14u);
  EXPECT_EQ(diagnostics[0].text, "int g() { return mk_to_f32(\"a\"); }");
  EXPECT_EQ(diagnostics[0].node, "'second' (Mul)");
}

// Tests that a message without a line, or one of an unknown form, is not lost,
// and that an empty log is none.
TEST(CompileLog, OtherForms) {
  auto assembler = parseCompileLog(
      "ptxas error   : Entry function 'k' uses too much shared data\n", "k0.cu",
      kModule);
  ASSERT_EQ(assembler.size(), 1u);
  EXPECT_TRUE(assembler[0].isError);
  EXPECT_EQ(assembler[0].module, "k0.cu");
  EXPECT_EQ(assembler[0].node, "'first' (Add)");
  auto unknown = parseCompileLog("out of memory\n", "k0.cu", kModule);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_THAT(unknown[0].format(), HasSubstr("out of memory"));
  EXPECT_TRUE(parseCompileLog("\n", "k0.cu", kModule).empty());
}

// Tests lines outside of any node or of the module.
TEST(CompileLog, NodeOfLine) {
  EXPECT_EQ(nodeOfLine(kModule, 1), "");
  EXPECT_EQ(nodeOfLine(kModule, 2), "'first' (Add)");
  EXPECT_EQ(nodeOfLine(kModule, 5), "'first' (Add)");
  EXPECT_EQ(nodeOfLine(kModule, 1000), "'second' (Mul)");
  EXPECT_EQ(nodeOfLine("", 3), "");
}

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

static CubinKey keyOf(std::initializer_list<std::string_view> parts) {
  return hashTexts(std::span(parts.begin(), parts.size()));
}

// Tests that the borders of texts count.
TEST(CubinCache, KeysDiffer) {
  EXPECT_EQ(keyOf({"ab", "c"}), keyOf({"ab", "c"}));
  EXPECT_NE(keyOf({"ab", "c"}), keyOf({"a", "bc"}));
  EXPECT_NE(keyOf({"a"}), keyOf({"a", ""}));
  EXPECT_EQ(keyOf({"a"}).text().size(), 32u);
}

// Tests that another cache on the same folder finds a result, and one in memory
// does not.
TEST(CubinCache, FolderIsShared) {
  TemporaryFolder folder;
  CubinKey key = keyOf({"module"});
  CubinCache first(folder / "deep/cubin"), second(folder / "deep/cubin");
  EXPECT_EQ(first.find(key), nullptr);
  first.insert(key, bytesOf("code"));
  ASSERT_NE(second.find(key), nullptr);
  EXPECT_EQ(*second.find(key), *bytesOf("code"));
  EXPECT_EQ(first.warning(), "");
  CubinCache memory("");
  EXPECT_EQ(memory.find(key), nullptr);
  memory.insert(key, bytesOf("code"));
  EXPECT_EQ(*memory.find(key), *bytesOf("code"));
}

// Tests that every damaged byte, every shorter and a longer file, and another
// key's file count as missing, and that the entry can be written again.
TEST(CubinCache, DamageIsMissing) {
  TemporaryFolder folder;
  CubinKey key = keyOf({"module"});
  CubinCache(folder.path()).insert(key, bytesOf("code of a kernel"));
  std::string path = folder / key.text(), good = readFile(path);
  auto found = [&] { return CubinCache(folder.path()).find(key) != nullptr; };
  ASSERT_TRUE(found());
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x20;
    writeFile(path, bad);
    EXPECT_FALSE(found()) << "byte " << i;
    writeFile(path, good.substr(0, i));
    EXPECT_FALSE(found()) << "length " << i;
  }
  writeFile(path, good + "x");
  EXPECT_FALSE(found());
  CubinKey other = keyOf({"other"});
  writeFile(folder / other.text(), good);
  EXPECT_EQ(CubinCache(folder.path()).find(other), nullptr);
  CubinCache(folder.path()).insert(key, bytesOf("code of a kernel"));
  EXPECT_TRUE(found());
}

// Tests that a folder that cannot be made is a warning, and results stay in
// memory.
TEST(CubinCache, FolderThatIsAFile) {
  TemporaryFolder folder;
  writeFile(folder / "file", "");
  CubinCache cache(folder / "file/cubin");
  cache.insert(keyOf({"a"}), bytesOf("code"));
  EXPECT_NE(cache.find(keyOf({"a"})), nullptr);
  EXPECT_THAT(cache.warning(), HasSubstr(folder / "file/cubin"));
}

// Tests the order of the variables that name the folder.
TEST(CubinCache, DefaultFolder) {
  Variable home("HOME", "/h"), xdg("XDG_CACHE_HOME", nullptr),
      own("MKC_CACHE_DIR", nullptr);
  EXPECT_EQ(CubinCache::defaultFolder(), "/h/.cache/mkc/cubin");
  Variable xdgSet("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(CubinCache::defaultFolder(), "/x/mkc/cubin");
  Variable ownSet("MKC_CACHE_DIR", "/m");
  EXPECT_EQ(CubinCache::defaultFolder(), "/m/cubin");
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

// Tests that the largest version that both libraries have is taken, also from
// two folders, and that other files don't count.
TEST(Libraries, Pick) {
  TemporaryFolder folder;
  for (const char *name : {"one", "two"})
    fs::create_directory(folder / name);
  for (const char *name :
       {"one/libnvrtc.so.12", "one/libnvrtc.so.13", "one/libnvrtc.so.14",
        "one/libnvrtc.so", "one/libnvrtc-builtins.so.13.5",
        "one/libnvrtc.alt.so.15", "two/libnvJitLink.so.12",
        "two/libnvJitLink.so.13", "two/libnvJitLink.so.15.1"})
    writeFile(folder / name, "");
  LibraryFiles files;
  ASSERT_TRUE(pickLibraries({folder / "one", folder / "two"}, files));
  EXPECT_EQ(files.nvrtc, folder / "one/libnvrtc.so.13");
  EXPECT_EQ(files.nvJitLink, folder / "two/libnvJitLink.so.13");
  EXPECT_FALSE(pickLibraries({folder / "one"}, files));
  EXPECT_FALSE(pickLibraries({folder / "none"}, files));
}

// Tests that a folder that was asked for is the only one that is looked at.
TEST(Libraries, ExplicitFolder) {
  TemporaryFolder folder;
  Variable variable("MKC_NVRTC", folder.path().c_str());
  LibraryFiles files;
  EXPECT_EQ(findLibraries(files), "MKC_NVRTC: there are no libnvrtc.so and "
                                  "libnvJitLink.so of one version in " +
                                      folder.path());
  // Files that are no libraries are an error, not a reason to look elsewhere.
  writeFile(folder / "libnvrtc.so.13", "no library");
  writeFile(folder / "libnvJitLink.so.13", "no library");
  CudaLibraries libraries;
  EXPECT_THAT(
      loadLibraries(libraries),
      AllOf(HasSubstr(folder / "libnvrtc.so.13"), HasSubstr("(MKC_NVRTC)")));
}

// Tests that Python's packages come before the toolkit, and that a Python that
// cannot be run is passed over.
TEST(Libraries, PythonBeforeToolkit) {
  TemporaryFolder folder;
  fs::create_directories(folder / "toolkit/lib64");
  writeFile(folder / "toolkit/lib64/libnvrtc.so.13", "");
  writeFile(folder / "toolkit/lib64/libnvJitLink.so.13", "");
  fs::create_directories(folder / "packages/nvidia/cu13/lib");
  std::string packages = folder / "packages/nvidia/cu13/lib";
  writeFile(packages + "/libnvrtc.so.13", "");
  writeFile(packages + "/libnvJitLink.so.13", "");
  Variable none("MKC_NVRTC", nullptr);
  Variable toolkit("CUDA_HOME", (folder / "toolkit").c_str());
  Variable path("PYTHONPATH", (folder / "packages").c_str());
  Variable python("MKC_PYTHON", "/usr/bin/python3");
  LibraryFiles files;
  ASSERT_EQ(findLibraries(files), "");
  EXPECT_EQ(files.nvrtc, packages + "/libnvrtc.so.13");
  EXPECT_EQ(files.origin, "Python packages of /usr/bin/python3");
  Variable noPython("MKC_PYTHON", "/nonexistent/python");
  ASSERT_EQ(findLibraries(files), "");
  EXPECT_EQ(files.nvrtc, folder / "toolkit/lib64/libnvrtc.so.13");
  EXPECT_THAT(files.origin, StartsWith("toolkit of CUDA_HOME"));
}
