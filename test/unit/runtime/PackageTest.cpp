//===- PackageTest.cpp - Writing and opening packages ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Package.h"
#include "runtime/format/AtomicFile.h"
#include "runtime/format/PrintSchedule.h"
#include "runtime/format/RegularFile.h"
#include "test/unit/runtime/TestPackage.h"

#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <xxhash.h>

using namespace mkrt::format;
using namespace mkrt::test;
using testing::HasSubstr;

namespace {
/// Bytes at an address that is aligned to 16.
class Aligned {
public:
  explicit Aligned(std::span<const std::byte> bytes)
      : storage_((bytes.size() + 15) / 16), size_(bytes.size()) {
    if (size_)
      std::memcpy(storage_.data(), bytes.data(), size_);
  }
  std::byte *data() { return reinterpret_cast<std::byte *>(storage_.data()); }
  std::span<const std::byte> bytes() { return {data(), size_}; }

private:
  struct alignas(16) Chunk {
    std::byte bytes[16];
  };
  std::vector<Chunk> storage_;
  size_t size_;
};
} // namespace

/// A package with something in each section.
static TestPackage sample() {
  TestPackage p(2);
  p.parts.manifest = "{}";
  p.parts.program.arenaBytes = 4096;
  p.parts.program.stateBytes = 64;
  p.parts.program.parameterCount = 1;
  uint32_t in = p.input("x", types::Int32, {2, 4});
  uint32_t out = p.output("y", types::Int32, {8});
  AccessBuilder b;
  auto offset = b.mul(b.tile(), b.constant(4));
  std::vector<AccessEntry> entries = {
      b.entry(0, AccessMode::Write, offset, {}, b.constant(4)),
      b.entry(1, AccessMode::Read, offset, {}, b.constant(4))};
  uint32_t increment = p.kernel("increment", 8, 2, b, entries, 64);
  uint32_t sum = p.kernel("sum7", 8, 8);
  OperandRef x(Space::Input, uint16_t(in), 0),
      y(Space::Output, uint16_t(out), 0);
  OperandRef a(Space::Arena, 0, 64), s(Space::State, 0, 0),
      w(Space::Weights, 0, 0);
  p.record(0, increment, {a, x}, {}, {{0, 1}}, "first").parameter =
      ParameterSlot(ParameterSlot::Kind::Extent, 0).bits();
  p.record(1, sum, {y, a, s, w, x, a, w, w}, {{0, 1}}, {}, "second");
  p.parts.hostObject = {std::byte(1), std::byte(2)};
  return p;
}

static const std::vector<std::byte> kWeights(100, std::byte(7));
static const WeightPiece kPieces[] = {{128, kWeights}};

/// The error of opening `parts`.
static std::string openError(const PackageParts &parts) {
  Aligned bytes(encodePackage(parts, kPieces, 256));
  PackageView view;
  return PackageView::open(bytes.bytes(), view);
}

TEST(Package, IsReadAsItWasWritten) {
  TestPackage p = sample();
  Aligned bytes(p.encode(kPieces, 256));
  PackageView view;
  ASSERT_EQ(PackageView::open(bytes.bytes(), view), "");
  EXPECT_EQ(view.manifest(), "{}");
  ASSERT_EQ(view.inputs().size(), 1u);
  EXPECT_EQ(view.string(view.inputs()[0].name), "x");
  EXPECT_THAT(view.shape(view.inputs()[0]), testing::ElementsAre(2, 4));
  EXPECT_EQ(view.string(view.outputs()[0].name), "y");
  ASSERT_EQ(view.records().size(), 2u);
  const Record &second = view.records()[1];
  EXPECT_EQ(view.operand(second, 4).space(), Space::Input);
  EXPECT_EQ(view.operand(second, 7).space(), Space::Weights);
  EXPECT_EQ(view.spaceBytes(view.operand(second, 7)), 256u);
  ASSERT_EQ(view.weights().size(), 256u);
  EXPECT_EQ(view.weights()[127], std::byte(0));
  EXPECT_EQ(view.weights()[128], std::byte(7));
  EXPECT_EQ(view.weights()[228], std::byte(0));
  EXPECT_EQ((view.weights().data() - bytes.data()) % kSectionAlignment, 0u);
  EXPECT_EQ(encodePackage(view.parts(), kPieces, 256),
            std::vector(bytes.bytes().begin(), bytes.bytes().end()));
}

TEST(Package, EveryTruncationIsRefused) {
  TestPackage p = sample();
  std::vector<std::byte> whole = p.encode(kPieces, 256);
  for (size_t size = 0; size < whole.size(); size += size < 700 ? 1 : 61) {
    Aligned bytes(std::span(whole).first(size));
    PackageView view;
    EXPECT_NE(PackageView::open(bytes.bytes(), view), "") << size;
  }
}

/// Visits every record of a view as a reader would.
static uint64_t readEverything(const PackageView &view) {
  uint64_t sum = view.manifest().size();
  for (const Record &record : view.records())
    for (unsigned i = 0; i < record.operandCount; ++i)
      sum += view.spaceBytes(view.operand(record, i));
  for (const PortInfo &port : view.ports())
    sum += view.string(port.name).size() + view.shape(port).size();
  for (const AccessEntry &access : view.accesses())
    if (auto box = evaluateAccess(access, view.accessCode(), 3))
      sum += uint64_t(box->offset);
  return sum;
}

TEST(Package, FlippedBytesAreRefusedOrHarmless) {
  TestPackage p = sample();
  Aligned bytes(p.encode(kPieces, 256));
  size_t size = bytes.bytes().size(), accepted = 0;
  for (size_t i = 0; i < size; ++i) {
    std::byte saved = bytes.data()[i];
    bytes.data()[i] ^= std::byte(1 << (i % 8));
    PackageView view;
    if (PackageView::open(bytes.bytes(), view).empty()) {
      ++accepted; // A byte between sections.
      EXPECT_EQ(saved, std::byte(0));
      readEverything(view);
    }
    bytes.data()[i] = saved;
  }
  EXPECT_LT(accepted, size);
}

/// Repairs all checksums, so that only the checks of the content can refuse.
static void repairChecksums(std::byte *data) {
  FileHeader header;
  std::memcpy(&header, data, sizeof header);
  auto *table = reinterpret_cast<SectionInfo *>(data + sizeof header);
  for (uint32_t i = 0; i < header.sectionCount; ++i)
    table[i].checksum = XXH3_64bits(data + table[i].offset, table[i].bytes);
  header.tableChecksum =
      XXH3_64bits(table, header.sectionCount * sizeof(SectionInfo));
  std::memcpy(data, &header, sizeof header);
}

TEST(Package, FlippedContentWithRightChecksumsIsRefusedOrHarmless) {
  TestPackage p = sample();
  std::vector<std::byte> whole = p.encode(kPieces, 256);
  FileHeader header;
  std::memcpy(&header, whole.data(), sizeof header);
  unsigned refused = 0;
  for (uint32_t s = 0; s < header.sectionCount; ++s) {
    SectionInfo info;
    std::memcpy(&info, whole.data() + sizeof header + s * sizeof info,
                sizeof info);
    if (info.kind == SectionKind::Weights)
      continue;
    for (uint64_t i = 0; i < info.bytes; ++i)
      for (int value : {0x01, 0x80, 0xff}) {
        Aligned bytes(whole);
        bytes.data()[info.offset + i] ^= std::byte(value);
        repairChecksums(bytes.data());
        PackageView view;
        if (PackageView::open(bytes.bytes(), view).empty())
          readEverything(view);
        else
          ++refused;
      }
  }
  EXPECT_GT(refused, 500u);
}

TEST(Package, NamesWhatIsWrong) {
  auto error = [](auto change) {
    PackageParts parts = sample().finish();
    change(parts);
    return openError(parts);
  };
  EXPECT_EQ(error([](PackageParts &) {}), "");
  EXPECT_EQ(error([](PackageParts &p) { p.records[1].opcode = Opcode(9); }),
            "record 1 has unknown opcode 9");
  EXPECT_EQ(error([](PackageParts &p) { p.program.counterCount = 1u << 31; }),
            "number of counters is 2147483648, it must be less than 5");
  EXPECT_EQ(error([](PackageParts &p) { p.records[0].rank = 1; }),
            "record 1: another record has its rank 1");
  EXPECT_EQ(error([](PackageParts &p) { p.records[0].tileStart = 5; }),
            "record 0: last tile is 12, it must be less than 8");
  EXPECT_EQ(
      error([](PackageParts &p) { p.records[0].tileStride = UINT32_MAX; }),
      "record 0: last tile is 30064771065, it must be less than 8");
  EXPECT_EQ(error([](PackageParts &p) { p.records[1].waits[0].counter = 4; }),
            "record 1: counter of a wait is 4, it must be less than 1");
  EXPECT_EQ(error([](PackageParts &p) { p.records[1].waitCount = 5; }),
            "record 1: number of waits is 5, it must be less than 5");
  EXPECT_EQ(error([](PackageParts &p) { p.records[1].operands[5] = 1; }),
            "record 1 has operands [1, +3) of an operand table of 3");
  EXPECT_EQ(error([](PackageParts &p) {
              p.records[0].operands[0] =
                  OperandRef(Space::Arena, 0, 4097).bits();
            }),
            "record 0: operand 0: offset is 4097, it must be less than 4097");
  EXPECT_EQ(error([](PackageParts &p) {
              p.records[0].operands[1] = OperandRef(Space::Input, 1, 0).bits();
            }),
            "record 0: operand 1: index is 1, it must be less than 1");
  EXPECT_EQ(error([](PackageParts &p) {
              p.records[0].operands[1] = uint64_t(7) << 60;
            }),
            "record 0: operand 1 lies in unknown space 7");
  EXPECT_EQ(error([](PackageParts &p) { p.queueStarts = {0, 1, 1, 2}; }),
            "number of queue starts is 4, expected 3");
  EXPECT_EQ(error([](PackageParts &p) { p.ports[0].bytes = 31; }),
            "port 0: size in bytes is 31, expected 32");
  EXPECT_EQ(error([](PackageParts &p) { p.dims[0] = -2; }),
            "port 0 has a shape that is negative or too large");
  EXPECT_EQ(error([](PackageParts &p) {
              p.records[0].parameter =
                  ParameterSlot(ParameterSlot::Kind::Predicate, 1).bits();
            }),
            "record 0: parameter is 1, it must be less than 1");
  EXPECT_EQ(error([](PackageParts &p) { p.dispatches[0].kernel = 1; }),
            "record 0: kernel is 0, expected 1");
  EXPECT_EQ(error([](PackageParts &p) { p.recordDispatch.pop_back(); }),
            "number of record dispatches is 1, expected 2");
}

/// Each kernel has accesses of its own, so that checking a package takes no
/// longer than its size tells.
TEST(Package, KernelsShareNoAccesses) {
  PackageParts parts = sample().finish();
  uint32_t count = uint32_t(parts.accesses.size());
  ASSERT_GT(count, 0u);
  parts.kernels.push_back(parts.kernels[0]);
  EXPECT_EQ(openError(parts),
            "kernel " + std::to_string(parts.kernels.size() - 1) +
                ": first access is 0, expected " + std::to_string(count));
  parts.kernels.pop_back();
  parts.accesses.push_back(parts.accesses.back());
  EXPECT_EQ(openError(parts), "number of the kernels' accesses is " +
                                  std::to_string(count + 1) + ", expected " +
                                  std::to_string(count));
}

/// Thousands of accesses that share the longest code there can be.
TEST(Package, SharedAccessCodeIsCheckedOnce) {
  PackageParts parts = sample().finish();
  parts.accessCode.assign(UINT16_MAX, {AccessOp::Constant, 0, 0, 0, 0, 1});
  AccessEntry entry = parts.accesses[0];
  entry.operand = parts.accesses.back().operand;
  entry.mode = AccessMode::Read;
  entry.instrCount = UINT16_MAX - 1000;
  for (AccessEntry &each : parts.accesses)
    each.firstInstr = 0, each.instrCount = UINT16_MAX;
  for (uint32_t i = 0; i < 100000; ++i) {
    entry.firstInstr = i % 1000;
    parts.accesses.push_back(entry);
  }
  parts.kernels.back().accessCount += 100000;
  auto start = std::clock();
  EXPECT_EQ(openError(parts), "");
  // Instruction by instruction it would be 6.5 * 10^9 checks: half a minute.
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

TEST(Package, OtherVersionsAndOtherFilesAreRefused) {
  Aligned bytes(sample().encode(kPieces, 256));
  PackageView view;
  bytes.data()[8] = std::byte(3);
  EXPECT_THAT(PackageView::open(bytes.bytes(), view),
              HasSubstr("format version 3, this runtime reads 0 only"));
  bytes.data()[1] = std::byte('X');
  EXPECT_THAT(PackageView::open(bytes.bytes(), view),
              HasSubstr("not a package"));
}

TEST(PackageWriter, WritesTheEncodedBytesAndLeavesNothingOnErrors) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(testing::TempDir()) / "mkc-package-writer";
  fs::remove_all(folder);
  fs::create_directory(folder);
  TestPackage p = sample();
  std::string path = folder / "a.mkp";
  ASSERT_EQ(writePackage(path, p.finish(), kPieces, 256), "");
  std::ifstream file(path, std::ios::binary);
  std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(p.encode(kPieces, 256), std::vector(bytes.begin(), bytes.end()));

  WeightPiece overlapping[] = {{0, kWeights}, {64, kWeights}};
  EXPECT_THAT(writePackage(folder / "b.mkp", p.finish(), overlapping, 256),
              HasSubstr("weights at offset 64 overlap those that end at 100"));
  EXPECT_THAT(writePackage(folder / "no" / "c.mkp", p.finish(), kPieces, 256),
              HasSubstr("No such file"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
  fs::remove_all(folder);
}

TEST(PackageWriter, ADiskThatFillsUpIsAnError) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(testing::TempDir()) / "mkc-package-full";
  fs::remove_all(folder);
  fs::create_directory(folder);
  // A limit on the size of files fails in the middle of writing, as a full
  // disk.
  auto savedHandler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit saved, small;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &saved), 0);
  small = saved;
  small.rlim_cur = 10000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  TestPackage p = sample();
  std::string error = writePackage(folder / "a.mkp", p.finish(), kPieces, 256);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &saved), 0);
  std::signal(SIGXFSZ, savedHandler);
  EXPECT_THAT(error, HasSubstr("a.mkp: cannot write: File too large"));
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove_all(folder);
}

TEST(PrintSchedule, ShowsKernelsAndRecords) {
  TestPackage p(3);
  p.parts.program.arenaBytes = 64;
  p.parts.program.parameterCount = 2;
  p.input("x", types::UInt8, {32});
  AccessBuilder b;
  auto eight = b.constant(8);
  std::vector<AccessEntry> entries = {
      b.entry(0, AccessMode::Write, b.mul(b.tile(), eight), {}, eight)};
  uint32_t kernel = p.kernel("produce", 4, 2, b, entries, 0);
  Record &first =
      p.record(0, kernel, {{Space::Arena, 0, 16}, {Space::Input, 0, 0}}, {},
               {{0, 2}}, "/conv");
  first.tileCount = 2;
  first.tileStride = 2;
  Record &second =
      p.record(2, kernel, {{Space::Arena, 0, 0}, {Space::Weights, 0, 0}},
               {{0, 2}}, {}, "/relu");
  second.tileStart = 3;
  second.tileCount = 1;
  second.handoff[1] = Handoff::Page;
  second.parameter = ParameterSlot(ParameterSlot::Kind::Predicate, 1).bits();
  Aligned bytes(p.encode());
  PackageView view;
  ASSERT_EQ(PackageView::open(bytes.bytes(), view), "");
  std::string text;
  printSchedule(view, [&](std::string_view part) { text += part; });
  EXPECT_THAT(text,
              testing::StartsWith(
                  "kernel 'produce': 4 tiles, 2 operands, 0 bytes of scratch\n"
                  "  %0 = "));
  EXPECT_THAT(text, HasSubstr("\n  write operand 0: offset %"));
  EXPECT_EQ(text.substr(text.find("queue 0")),
            "queue 0\n"
            "  record 0: rank 0, run 'produce', tiles 0 to 2 by 2, node "
            "'/conv'\n"
            "    operand 0: arena + 16\n"
            "    operand 1: input 'x' + 0\n"
            "    adds 2 to counter 0\n"
            "queue 2\n"
            "  record 1: rank 1, run 'produce', tile 3, if parameter 1, node "
            "'/relu'\n"
            "    operand 0: arena + 0\n"
            "    operand 1: weights + 0 (page)\n"
            "    waits for counter 0 to reach 2\n");
}

TEST(PackageParts, SharesEqualStrings) {
  PackageParts parts;
  StringRef a = parts.intern("conv"), b = parts.intern("relu"),
            c = parts.intern("conv");
  EXPECT_EQ(a.offset, c.offset);
  EXPECT_EQ(b.offset, 4u);
  EXPECT_EQ(parts.strings, "convrelu");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
/// A folder of its own, removed in the end.
class Files : public testing::Test {
protected:
  Files() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
  }
  ~Files() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const { return folder / name; }
  size_t count() const {
    return size_t(
        std::distance(std::filesystem::directory_iterator(folder), {}));
  }
  static std::string write(const std::string &path, std::string_view text) {
    AtomicFile file(path);
    file.write(std::as_bytes(std::span(text)));
    return file.commit();
  }
  static std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "mkc-files";
};
} // namespace

TEST_F(Files, LinksAreFollowed) {
  ASSERT_EQ(write(path("file"), "old"), "");
  std::filesystem::create_directory(path("there"));
  std::filesystem::create_symlink("file", path("near"));
  std::filesystem::create_symlink("../near", path("there/far"));
  std::filesystem::create_symlink("new", path("dangling"));
  std::filesystem::create_symlink("circle", path("circle"));
  EXPECT_EQ(write(path("there/far"), "new"), "");
  EXPECT_EQ(read(path("file")), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("near")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("there/far")));
  EXPECT_EQ(write(path("dangling"), "made"), "");
  EXPECT_EQ(read(path("new")), "made");
  EXPECT_TRUE(std::filesystem::is_symlink(path("dangling")));
  EXPECT_THAT(write(path("circle"), "x"),
              HasSubstr("circle: cannot create the file: Too many levels"));
  EXPECT_EQ(count(), 6u) << "a temporary file is left";
}

TEST_F(Files, PermissionsAreKept) {
  ASSERT_EQ(write(path("file"), "old"), "");
  using std::filesystem::perms;
  perms wanted = perms::owner_read | perms::owner_write | perms::owner_exec;
  std::filesystem::permissions(path("file"), wanted);
  ASSERT_EQ(write(path("file"), "new"), "");
  EXPECT_EQ(std::filesystem::status(path("file")).permissions(), wanted);
}

TEST_F(Files, PipesAndDevicesAreWrittenNotReplaced) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = read(path("pipe")); });
  EXPECT_EQ(write(path("pipe"), "through"), "");
  reader.join();
  EXPECT_EQ(received, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  // By a link, so that a mistake would replace the link only.
  for (const char *device : {"null", "full"})
    std::filesystem::create_symlink(std::string("/dev/") + device,
                                    path(device));
  EXPECT_EQ(write(path("null"), "away"), "");
  EXPECT_THAT(write(path("full"), "no room"),
              HasSubstr("full: cannot write: No space left on device"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("null")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("full")));
  EXPECT_THAT(write(folder, "x"), HasSubstr("Is a directory"));
  EXPECT_EQ(AtomicFile::replacedFile(path("null")), "");
  EXPECT_EQ(AtomicFile::replacedFile(path("pipe")), "");
  EXPECT_EQ(count(), 3u) << "a temporary file is left";
}

TEST_F(Files, OnlyRegularFilesAreRead) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  ASSERT_EQ(write(path("file"), "text"), "");
  for (const std::string &name :
       {path("pipe"), folder.string(), std::string("/dev/zero")}) {
    RegularFile file;
    EXPECT_EQ(file.open(name), name + ": not a regular file");
  }
  RegularFile file;
  EXPECT_EQ(file.open(path("file")), "");
  EXPECT_EQ(file.size(), 4u);
}
