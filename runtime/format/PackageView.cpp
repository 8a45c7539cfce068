//===- PackageView.cpp - Opening a package --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Package.h"

#include "runtime/format/PackageCheck.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <xxhash.h>

namespace mkrt::format {

/// Finds and checks the sections, then hands them to a view.
class PackageReader {
public:
  explicit PackageReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Returns an error text, or an empty string.
  std::string read(PackageView &view);

private:
  static constexpr size_t kKinds = size_t(SectionKind::HostObject) + 1;

  bool readHeader();
  bool readTable();
  bool readSection(const SectionInfo &info, uint64_t &end);
  template <typename T> bool typed(SectionKind kind, std::span<const T> &out);
  std::string_view text(SectionKind kind) const;
  bool fail(std::string text) {
    error_ = std::move(text);
    return false;
  }

  std::span<const std::byte> bytes_;
  FileHeader header_;
  std::array<std::span<const std::byte>, kKinds> sections_;
  std::array<bool, kKinds> present_{};
  std::string error_;
};

static const char *kindName(SectionKind kind) {
  static constexpr const char *names[] = {
      "",         "manifest",     "program",       "records",
      "queues",   "dispatch map", "operand table", "kernels",
      "accesses", "access code",  "dispatches",    "ports",
      "dims",     "strings",      "weights",       "host object"};
  return names[size_t(kind)];
}

static uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

bool PackageReader::readHeader() {
  if (bytes_.size() < sizeof kMagic ||
      std::memcmp(bytes_.data(), kMagic, sizeof kMagic))
    return fail("not a package (the first bytes are not its signature)");
  if (bytes_.size() < sizeof(FileHeader))
    return fail("the file ends inside its header");
  if (reinterpret_cast<uintptr_t>(bytes_.data()) % alignof(Record))
    return fail("the package's bytes are not aligned to 16 in memory");
  std::memcpy(&header_, bytes_.data(), sizeof header_);
  if (header_.version != kFormatVersion)
    return fail("the package has format version " +
                std::to_string(header_.version) + ", this runtime reads " +
                std::to_string(kFormatVersion) + " only; compile it again");
  if (header_.fileBytes != bytes_.size())
    return fail("the header tells of " + std::to_string(header_.fileBytes) +
                " bytes, the file has " + std::to_string(bytes_.size()));
  return true;
}

bool PackageReader::readTable() {
  uint64_t tableBytes = uint64_t(header_.sectionCount) * sizeof(SectionInfo);
  if (tableBytes > bytes_.size() - sizeof(FileHeader))
    return fail("a table of " + std::to_string(header_.sectionCount) +
                " sections does not fit the file");
  auto table = bytes_.subspan(sizeof(FileHeader), tableBytes);
  if (checksum(table) != header_.tableChecksum)
    return fail("the section table is damaged (checksum)");
  uint64_t end = sizeof(FileHeader) + tableBytes;
  for (uint32_t i = 0; i < header_.sectionCount; ++i) {
    SectionInfo info;
    std::memcpy(&info, table.data() + i * sizeof info, sizeof info);
    if (!readSection(info, end))
      return false;
  }
  for (size_t k = 1; k < kKinds; ++k)
    if (!present_[k] && SectionKind(k) != SectionKind::HostObject)
      return fail(std::string("section ") + kindName(SectionKind(k)) +
                  " is missing");
  return true;
}

/// Sections come in the order of their offsets and do not overlap: `end` is
/// where the one before ended.
bool PackageReader::readSection(const SectionInfo &info, uint64_t &end) {
  size_t k = size_t(info.kind);
  if (k == 0 || k >= kKinds)
    return fail("unknown section kind " + std::to_string(k));
  std::string name = std::string("section ") + kindName(info.kind);
  if (present_[k])
    return fail(name + " occurs twice");
  present_[k] = true;
  if (info.offset % kSectionAlignment)
    return fail(name + " at offset " + std::to_string(info.offset) +
                " is not aligned to " + std::to_string(kSectionAlignment));
  if (info.offset < end)
    return fail(name + " at offset " + std::to_string(info.offset) +
                " overlaps what ends at " + std::to_string(end));
  if (info.offset > bytes_.size() || info.bytes > bytes_.size() - info.offset)
    return fail(name + " at offset " + std::to_string(info.offset) + " of " +
                std::to_string(info.bytes) + " bytes leaves the file of " +
                std::to_string(bytes_.size()));
  sections_[k] = bytes_.subspan(info.offset, info.bytes);
  if (checksum(sections_[k]) != info.checksum)
    return fail(name + " is damaged (checksum)");
  end = info.offset + info.bytes;
  return true;
}

template <typename T>
bool PackageReader::typed(SectionKind kind, std::span<const T> &out) {
  std::span<const std::byte> bytes = sections_[size_t(kind)];
  if (bytes.size() % sizeof(T))
    return fail(std::string("section ") + kindName(kind) + " has " +
                std::to_string(bytes.size()) + " bytes, not a multiple of " +
                std::to_string(sizeof(T)));
  // The file's bytes are the objects: all are plain data without padding, the
  // sections are aligned, and hosts are little-endian.
  out = {reinterpret_cast<const T *>(bytes.data()), bytes.size() / sizeof(T)};
  return true;
}

std::string_view PackageReader::text(SectionKind kind) const {
  auto bytes = sections_[size_t(kind)];
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string PackageReader::read(PackageView &view) {
  using Kind = SectionKind;
  PackageView v;
  std::span<const ProgramInfo> program;
  if (!readHeader() || !readTable() || !typed(Kind::Program, program) ||
      !typed(Kind::Records, v.records_) ||
      !typed(Kind::QueueStarts, v.queueStarts_) ||
      !typed(Kind::RecordDispatch, v.recordDispatch_) ||
      !typed(Kind::OperandTable, v.operandTable_) ||
      !typed(Kind::Kernels, v.kernels_) ||
      !typed(Kind::Accesses, v.accesses_) ||
      !typed(Kind::AccessCode, v.accessCode_) ||
      !typed(Kind::Dispatches, v.dispatches_) ||
      !typed(Kind::Ports, v.ports_) || !typed(Kind::Dims, v.dims_))
    return std::move(error_);
  if (program.size() != 1)
    return "section program holds " + std::to_string(program.size()) +
           " entries, expected 1";
  v.program_ = program.data();
  v.manifest_ = text(Kind::Manifest);
  v.strings_ = text(Kind::Strings);
  v.weights_ = sections_[size_t(Kind::Weights)];
  v.hostObject_ = sections_[size_t(Kind::HostObject)];
  if (std::string error = checkContent(v); !error.empty())
    return error;
  view = v;
  return {};
}

} // namespace mkrt::format

using namespace mkrt::format;

std::string PackageView::open(std::span<const std::byte> bytes,
                              PackageView &out) {
  return PackageReader(bytes).read(out);
}

std::span<const PortInfo> PackageView::inputs() const {
  return ports_.first(program_->inputCount);
}

std::span<const PortInfo> PackageView::outputs() const {
  return ports_.subspan(program_->inputCount);
}

std::span<const int64_t> PackageView::shape(const PortInfo &port) const {
  return dims_.subspan(port.firstDim, port.rank);
}

std::string_view PackageView::string(StringRef ref) const {
  return strings_.substr(ref.offset, ref.length);
}

uint32_t PackageView::queueOf(uint32_t record) const {
  auto behind = std::ranges::upper_bound(queueStarts_, record);
  return uint32_t(behind - queueStarts_.begin()) - 1;
}

OperandRef PackageView::operand(const Record &record, unsigned i) const {
  constexpr unsigned kTable = kInlineOperands - 1;
  if (record.operandCount <= kInlineOperands || i < kTable)
    return OperandRef(record.operands[i]);
  return OperandRef(operandTable_[record.operands[kTable] + (i - kTable)]);
}

uint64_t PackageView::spaceBytes(OperandRef ref) const {
  switch (ref.space()) {
  case Space::Arena:
    return program_->arenaBytes;
  case Space::Weights:
    return weights_.size();
  case Space::State:
    return program_->stateBytes;
  case Space::Input:
    return inputs()[ref.index()].bytes;
  case Space::Output:
    return outputs()[ref.index()].bytes;
  }
  return 0;
}

template <typename T> static std::vector<T> copy(std::span<const T> span) {
  return {span.begin(), span.end()};
}

PackageParts PackageView::parts() const {
  PackageParts parts;
  parts.manifest = manifest_;
  parts.program = *program_;
  parts.records = copy(records_);
  parts.queueStarts = copy(queueStarts_);
  parts.recordDispatch = copy(recordDispatch_);
  parts.operandTable = copy(operandTable_);
  parts.kernels = copy(kernels_);
  parts.accesses = copy(accesses_);
  parts.accessCode = copy(accessCode_);
  parts.dispatches = copy(dispatches_);
  parts.ports = copy(ports_);
  parts.dims = copy(dims_);
  parts.strings = strings_;
  parts.hostObject = copy(hostObject_);
  return parts;
}
