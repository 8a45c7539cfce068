//===- package.cpp - Fuzzing what reads packages --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a list of edits of a small sound package. An edit names a section
// and changes a byte of it, replaces its content or its length; or it changes a
// byte of the header and the section table. So every byte of an input reaches
// content, although sections are 4 KiB apart, and an input that replaces all
// sections is a whole package. The host object alone is never edited: loading
// damaged machine code is not what a program promises to survive.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Package.h"
#include "runtime/format/PrintSchedule.h"
#include "runtime/host/Program.h"
#include "runtime/verify/Verify.h"
#include "test/unit/runtime/TestPackage.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <xxhash.h>

using namespace mkrt::format;

//===----------------------------------------------------------------------===//
// From an input to a package
//===----------------------------------------------------------------------===//

namespace {
struct Section {
  SectionKind kind;
  std::vector<std::byte> bytes;
};

/// The input, read from the front; zeros when it is over.
class Input {
public:
  explicit Input(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool isOver() const { return bytes_.empty(); }
  uint8_t u8() {
    uint8_t value = isOver() ? 0 : bytes_[0];
    bytes_ = bytes_.subspan(!isOver());
    return value;
  }
  uint16_t u16() {
    uint16_t low = u8();
    return uint16_t(low | u8() << 8);
  }
  std::span<const std::byte> take(size_t count) {
    auto taken = std::as_bytes(bytes_.first(std::min(count, bytes_.size())));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

private:
  std::span<const uint8_t> bytes_;
};

/// A byte of the header or the section table.
struct TablePatch {
  uint16_t offset;
  std::byte value;
};
} // namespace

/// A small sound package with something in most sections.
static std::vector<std::byte> sample() {
  mkrt::test::TestPackage p(2);
  p.parts.manifest = R"({"host_features": ["sse2"]})";
  p.parts.hostObject = mkrt::test::testKernels();
  p.parts.program.arenaBytes = 4096;
  p.parts.program.parameterCount = 1;
  p.input("x", types::Float, {4, 4});
  p.output("y", types::Float, {16});
  AccessBuilder b;
  auto offset = b.mul(b.floorDiv(b.tile(), b.constant(2)), b.constant(8));
  std::vector<AccessEntry> entries = {
      b.entry(0, AccessMode::Write, offset, {}, b.constant(4)),
      b.entry(1, AccessMode::Read, offset, {}, b.constant(4))};
  uint32_t small = p.kernel("increment", 8, 2, b, entries);
  uint32_t large = p.kernel("sum7", 8, 8);
  OperandRef x(Space::Input, 0, 0), y(Space::Output, 0, 0),
      a(Space::Arena, 0, 0);
  p.record(0, small, {a, x}, {}, {{0, 1}});
  p.record(1, large, {y, a, a, x, a, a, x, x}, {{0, 1}});
  return p.encode();
}

static std::vector<Section> sectionsOf(std::span<const std::byte> package) {
  FileHeader header;
  std::memcpy(&header, package.data(), sizeof header);
  std::vector<Section> sections;
  for (uint32_t i = 0; i < header.sectionCount; ++i) {
    SectionInfo info;
    std::memcpy(&info, package.data() + sizeof header + i * sizeof info,
                sizeof info);
    auto bytes = package.subspan(info.offset, info.bytes);
    sections.push_back({info.kind, {bytes.begin(), bytes.end()}});
  }
  return sections;
}

/// Applies one edit to the sections, or notes it if it is one of the table.
static void edit(Input &input, std::vector<Section> &sections,
                 std::vector<TablePatch> &patches) {
  enum { Byte, Content, Length, Table, Kinds };
  unsigned kind = input.u8() % Kinds;
  if (kind == Table) {
    uint16_t offset = input.u16();
    patches.push_back({offset, std::byte(input.u8())});
    return;
  }
  Section &section = sections[input.u8() % sections.size()];
  uint16_t number = input.u16();
  if (kind != Byte && section.kind == SectionKind::HostObject)
    return;
  if (kind == Content) {
    auto content = input.take(number);
    section.bytes.assign(content.begin(), content.end());
  } else if (kind == Length) {
    section.bytes.resize(number);
  } else if (std::byte value{input.u8()};
             section.kind != SectionKind::HostObject &&
             !section.bytes.empty()) {
    section.bytes[number % section.bytes.size()] = value;
  }
}

/// Makes the checksums right wherever the table can be found, so that the
/// checks behind them are reached.
static void repairChecksums(std::span<std::byte> bytes) {
  FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  uint64_t tableBytes = uint64_t(header.sectionCount) * sizeof(SectionInfo);
  if (tableBytes > bytes.size() - sizeof header)
    return;
  std::span<std::byte> table = bytes.subspan(sizeof header, tableBytes);
  for (size_t at = 0; at < table.size(); at += sizeof(SectionInfo)) {
    SectionInfo info;
    std::memcpy(&info, table.data() + at, sizeof info);
    if (info.offset > bytes.size() || info.bytes > bytes.size() - info.offset)
      continue;
    info.checksum = XXH3_64bits(bytes.data() + info.offset, info.bytes);
    std::memcpy(table.data() + at, &info, sizeof info);
  }
  header.tableChecksum = XXH3_64bits(table.data(), table.size());
  std::memcpy(bytes.data(), &header, sizeof header);
}

static uint64_t alignUp(uint64_t bytes) {
  return (bytes + kSectionAlignment - 1) / kSectionAlignment *
         kSectionAlignment;
}

/// Lays the sections out as a file, aligned to what a program borrows.
static std::span<std::byte> layOut(std::span<const Section> sections,
                                   std::span<const TablePatch> patches,
                                   std::vector<std::byte> &storage) {
  uint64_t tableEnd =
      sizeof(FileHeader) + sections.size() * sizeof(SectionInfo);
  uint64_t size =
      std::accumulate(sections.begin(), sections.end(), alignUp(tableEnd),
                      [](uint64_t sum, const Section &s) {
                        return sum + alignUp(s.bytes.size());
                      });
  storage.assign(size + kWeightAlignment, std::byte(0));
  auto address = reinterpret_cast<uintptr_t>(storage.data());
  std::span bytes(storage.data() + (-address % kWeightAlignment), size);

  FileHeader header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kFormatVersion;
  header.sectionCount = uint32_t(sections.size());
  header.fileBytes = size;
  std::memcpy(bytes.data(), &header, sizeof header);
  uint64_t offset = alignUp(tableEnd);
  for (size_t i = 0; i < sections.size(); ++i) {
    const Section &section = sections[i];
    SectionInfo info{section.kind, 0, offset, section.bytes.size(), 0};
    std::memcpy(bytes.data() + sizeof header + i * sizeof info, &info,
                sizeof info);
    std::copy(section.bytes.begin(), section.bytes.end(),
              bytes.begin() + offset);
    offset += alignUp(section.bytes.size());
  }
  for (const TablePatch &patch : patches)
    bytes[patch.offset % tableEnd] = patch.value;
  repairChecksums(bytes);
  return bytes;
}

//===----------------------------------------------------------------------===//
// What must survive it
//===----------------------------------------------------------------------===//

/// Reads all that a view hands out.
static void visit(const PackageView &view) {
  volatile uint64_t sum = view.manifest().size();
  for (const Record &record : view.records())
    for (unsigned i = 0; i < record.operandCount; ++i)
      sum = sum + view.spaceBytes(view.operand(record, i));
  for (const PortInfo &port : view.ports()) {
    for (int64_t dim : view.shape(port))
      sum = sum + uint64_t(dim);
    sum = sum + view.string(port.name).size();
  }
  for (const KernelInfo &kernel : view.kernels())
    for (const AccessEntry &access :
         view.accesses().subspan(kernel.firstAccess, kernel.accessCount)) {
      auto box = evaluateAccess(access, view.accessCode(), kernel.tileCount);
      if (box && box->hull())
        sum = sum + uint64_t(box->hull()->first);
    }
  printSchedule(view, [&](std::string_view text) { sum = sum + text.size(); });
}

/// Verifies schedules of few records and tiles, with usual limits and with ones
/// so small that every path is reached. Both must give the same verdict, but
/// for schedules on which one of them gives up sooner.
static void verify(const PackageView &view) {
  constexpr uint64_t kMostRecords = 64, kMostTiles = 4096;
  uint64_t tiles = 0;
  for (const Record &record : view.records())
    tiles += record.tileCount;
  if (view.records().size() > kMostRecords || tiles > kMostTiles ||
      view.queueStarts().size() > kMostRecords)
    return;
  mkrt::verify::VerifyOptions small{.boxesPerGroup = 2,
                                    .retireInterval = 2,
                                    .sparsePositions = 1,
                                    .joinedAbove = 1,
                                    .memoizedCrossings = 2,
                                    .comparisonSteps = 1 << 20};
  mkrt::verify::VerifyOptions usual{.comparisonSteps = 1 << 20};
  using mkrt::verify::Failure;
  Failure a = mkrt::verify::verifySchedule(view, usual).failure;
  Failure b = mkrt::verify::verifySchedule(view, small).failure;
  if (a != b && a != Failure::TooLarge && b != Failure::TooLarge)
    std::abort();
}

/// Each record must be on the queue that says so, and in a fold once.
static void fold(const PackageView &view) {
  std::vector<uint32_t> byRank = mkrt::host::recordsByRank(view);
  for (unsigned count : {1u, 3u}) {
    mkrt::host::Fold folded = mkrt::host::foldQueues(view, byRank, count);
    std::vector<bool> seen(byRank.size());
    for (unsigned v = 0; v < folded.queueCount(); ++v)
      for (uint32_t i = folded.starts[v]; i < folded.starts[v + 1]; ++i) {
        uint32_t record = folded.records[i];
        if (seen.at(record) || view.queueOf(record) % count != v)
          std::abort();
        seen[record] = true;
      }
    if (std::ranges::count(seen, true) != std::ptrdiff_t(byRank.size()))
      std::abort();
  }
}

/// Runs a program's own checks: opcodes, the manifest, sums of signals,
/// kernels. The package's host object must be the sample's.
static void load(std::span<const std::byte> bytes) {
  std::shared_ptr<const mkrt::host::Program> program;
  mkrt::host::Error error =
      mkrt::host::Program::load(bytes, mkrt::host::Ownership::Borrow, program);
  if (bool(error) == bool(program) || (error && error.message.empty()))
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::vector<Section> base = sectionsOf(sample());
  static const std::vector<std::byte> object = mkrt::test::testKernels();
  std::vector<Section> sections = base;
  std::vector<TablePatch> patches;
  for (Input input({data, size}); !input.isOver();)
    edit(input, sections, patches);
  std::vector<std::byte> storage;
  std::span<std::byte> bytes = layOut(sections, patches, storage);
  PackageView view;
  if (!PackageView::open(bytes, view).empty())
    return 0;
  visit(view);
  verify(view);
  fold(view);
  (void)view.parts();
  // A patch of the table may have made something else of the object.
  if (view.hostObject().empty() ||
      std::ranges::equal(view.hostObject(), object))
    load(bytes);
  return 0;
}
