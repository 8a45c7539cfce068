//===- package.cpp - Fuzzing the package reader and the verifier ----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Package.h"
#include "runtime/verify/Verify.h"
#include "test/unit/runtime/TestPackage.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <xxhash.h>

using namespace mkrt::format;

/// Makes the checksums right wherever the table can be found, so that the
/// checks behind them are reached.
static void repairChecksums(std::span<std::byte> bytes) {
  FileHeader header;
  if (bytes.size() < sizeof header)
    return;
  std::memcpy(&header, bytes.data(), sizeof header);
  uint64_t tableBytes = uint64_t(header.sectionCount) * sizeof(SectionInfo);
  if (tableBytes > bytes.size() - sizeof header)
    return;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.fileBytes = bytes.size();
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
      sum = sum + printAccess(access, view.accessCode()).size();
      auto box = evaluateAccess(access, view.accessCode(), kernel.tileCount);
      if (box && box->hull())
        sum = sum + uint64_t(box->hull()->first);
    }
}

/// Verifies schedules of few records and tiles, with usual limits and with ones
/// so small that every path is reached. Both must give the same verdict.
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
                                    .memoizedCrossings = 2};
  if (mkrt::verify::verifySchedule(view).failure !=
      mkrt::verify::verifySchedule(view, small).failure)
    std::abort();
}

/// A small sound package: what patches apply to.
static std::vector<std::byte> sample() {
  mkrt::test::TestPackage p(2);
  p.parts.program.arenaBytes = 4096;
  p.parts.program.parameterCount = 1;
  p.input("x", types::Float, {4, 4});
  p.output("y", types::Float, {16});
  AccessBuilder b;
  auto offset = b.mul(b.floorDiv(b.tile(), b.constant(2)), b.constant(8));
  std::vector<AccessEntry> entries = {
      b.entry(0, AccessMode::Write, offset, {}, b.constant(4)),
      b.entry(1, AccessMode::Read, offset, {}, b.constant(4))};
  uint32_t small = p.kernel("small", 8, 2, b, entries);
  uint32_t large = p.kernel("large", 8, 8);
  OperandRef x(Space::Input, 0, 0), y(Space::Output, 0, 0),
      a(Space::Arena, 0, 0);
  p.record(0, small, {a, x}, {}, {{0, 1}});
  p.record(1, large, {y, a, a, x, a, a, x, x}, {{0, 1}});
  return p.encode();
}

/// The input is the package itself (first byte odd), or patches of a sound one:
/// three bytes of offset, one of value.
static std::vector<std::byte> package(std::span<const uint8_t> input) {
  static const std::vector<std::byte> base = sample();
  if (input.empty() || input[0] % 2) {
    auto bytes = std::as_bytes(input.subspan(!input.empty()));
    return {bytes.begin(), bytes.end()};
  }
  std::vector<std::byte> bytes = base;
  for (size_t i = 1; i + 4 <= input.size(); i += 4) {
    size_t at = input[i] | input[i + 1] << 8 | input[i + 2] << 16;
    bytes[at % bytes.size()] = std::byte(input[i + 3]);
  }
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<std::byte> content = package({data, size});
  std::vector<Record> storage(content.size() / sizeof(Record) + 1); // Aligned.
  auto *bytes = reinterpret_cast<std::byte *>(storage.data());
  std::copy(content.begin(), content.end(), bytes);
  std::span<std::byte> aligned(bytes, content.size());
  repairChecksums(aligned);
  PackageView view;
  if (PackageView::open(aligned, view).empty()) {
    visit(view);
    verify(view);
    (void)view.parts();
  }
  return 0;
}
