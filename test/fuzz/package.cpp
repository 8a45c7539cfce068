//===- package.cpp - Fuzzing the package reader ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Package.h"

#include <algorithm>
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

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<Record> storage(size / sizeof(Record) + 1); // Aligned to 16.
  auto *bytes = reinterpret_cast<std::byte *>(storage.data());
  if (size)
    std::memcpy(bytes, data, size);
  repairChecksums({bytes, size});
  PackageView view;
  if (PackageView::open({bytes, size}, view).empty()) {
    visit(view);
    (void)view.parts();
  }
  return 0;
}
