//===- PackageWriter.cpp - Encoding a package -----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A package is laid out once as a list of sections, each a list of pieces with
// gaps of zeros; the file and the in-memory form are two sinks for that list.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/AtomicFile.h"
#include "runtime/format/Package.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <xxhash.h>

using namespace mkrt::format;

StringRef PackageParts::intern(std::string_view text) {
  auto [it, isNew] = interned_.try_emplace(std::string(text));
  if (isNew) {
    it->second = {uint32_t(strings.size()), uint32_t(text.size())};
    strings += text;
  }
  return it->second;
}

namespace {
struct Section {
  SectionKind kind;
  uint64_t bytes;
  std::vector<WeightPiece> pieces; ///< Sorted by offset.
};

struct Layout {
  std::vector<Section> sections;
  std::vector<SectionInfo> table;
  FileHeader header;
};
} // namespace

/// Feeds the section's bytes in order, gaps as zeros, to `sink.write` and
/// `sink.writeZeros`.
template <typename Sink> static void emit(const Section &section, Sink &sink) {
  uint64_t at = 0;
  for (const WeightPiece &piece : section.pieces) {
    sink.writeZeros(piece.offset - at);
    sink.write(piece.bytes);
    at = piece.offset + piece.bytes.size();
  }
  sink.writeZeros(section.bytes - at);
}

namespace {
class Hasher {
public:
  Hasher() : state_(XXH3_createState()) { XXH3_64bits_reset(state_); }
  ~Hasher() { XXH3_freeState(state_); }
  Hasher(const Hasher &) = delete;
  Hasher &operator=(const Hasher &) = delete;

  void write(std::span<const std::byte> bytes) {
    XXH3_64bits_update(state_, bytes.data(), bytes.size());
  }
  void writeZeros(uint64_t count) {
    static constexpr std::byte zeros[4096]{};
    for (uint64_t n; count; count -= n) {
      n = std::min<uint64_t>(count, sizeof zeros);
      write(std::span(zeros, n));
    }
  }
  uint64_t digest() const { return XXH3_64bits_digest(state_); }

private:
  XXH3_state_t *state_;
};

/// Fills memory that is large enough.
class MemorySink {
public:
  explicit MemorySink(std::span<std::byte> out) : rest_(out) {}
  void write(std::span<const std::byte> bytes) {
    std::copy(bytes.begin(), bytes.end(), rest_.begin());
    rest_ = rest_.subspan(bytes.size());
  }
  void writeZeros(uint64_t count) {
    std::fill_n(rest_.begin(), count, std::byte(0));
    rest_ = rest_.subspan(count);
  }

private:
  std::span<std::byte> rest_;
};
} // namespace

static uint64_t alignUp(uint64_t n) {
  return (n + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

template <typename Container>
static Section plain(SectionKind kind, const Container &content) {
  auto bytes = std::as_bytes(std::span(content.data(), content.size()));
  return {kind, bytes.size(), {{0, bytes}}};
}

static std::string checkPieces(std::span<const WeightPiece> sorted,
                               uint64_t weightBytes) {
  uint64_t end = 0;
  for (const WeightPiece &piece : sorted) {
    if (piece.offset % kWeightAlignment)
      return "weights at offset " + std::to_string(piece.offset) +
             " are not aligned to " + std::to_string(kWeightAlignment);
    if (piece.offset < end)
      return "weights at offset " + std::to_string(piece.offset) +
             " overlap those that end at " + std::to_string(end);
    if (piece.offset > weightBytes ||
        piece.bytes.size() > weightBytes - piece.offset)
      return "weights at offset " + std::to_string(piece.offset) + " of " +
             std::to_string(piece.bytes.size()) + " bytes do not fit the " +
             std::to_string(weightBytes) + " bytes of all weights";
    end = piece.offset + piece.bytes.size();
  }
  return {};
}

static std::string layOut(const PackageParts &parts,
                          std::span<const WeightPiece> weights,
                          uint64_t weightBytes, Layout &layout) {
  std::vector<WeightPiece> sorted(weights.begin(), weights.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const WeightPiece &a, const WeightPiece &b) {
              return std::pair(a.offset, a.bytes.size()) <
                     std::pair(b.offset, b.bytes.size());
            });
  if (std::string error = checkPieces(sorted, weightBytes); !error.empty())
    return error;

  using Kind = SectionKind;
  layout.sections = {plain(Kind::Manifest, parts.manifest),
                     plain(Kind::Program, std::span(&parts.program, 1)),
                     plain(Kind::Records, parts.records),
                     plain(Kind::QueueStarts, parts.queueStarts),
                     plain(Kind::RecordDispatch, parts.recordDispatch),
                     plain(Kind::OperandTable, parts.operandTable),
                     plain(Kind::Kernels, parts.kernels),
                     plain(Kind::Accesses, parts.accesses),
                     plain(Kind::AccessCode, parts.accessCode),
                     plain(Kind::Dispatches, parts.dispatches),
                     plain(Kind::Ports, parts.ports),
                     plain(Kind::Dims, parts.dims),
                     plain(Kind::Strings, parts.strings),
                     plain(Kind::HostObject, parts.hostObject),
                     {Kind::Weights, weightBytes, std::move(sorted)}};

  uint64_t end =
      sizeof(FileHeader) + layout.sections.size() * sizeof(SectionInfo);
  for (const Section &section : layout.sections) {
    Hasher hasher;
    emit(section, hasher);
    uint64_t offset = alignUp(end);
    layout.table.push_back(
        {section.kind, 0, offset, section.bytes, hasher.digest()});
    end = offset + section.bytes;
  }
  FileHeader &header = layout.header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kFormatVersion;
  header.sectionCount = uint32_t(layout.table.size());
  header.fileBytes = end;
  auto table = std::as_bytes(std::span(layout.table));
  header.tableChecksum = XXH3_64bits(table.data(), table.size());
  return {};
}

template <typename Sink> static void emit(const Layout &layout, Sink &sink) {
  sink.write(std::as_bytes(std::span(&layout.header, 1)));
  auto table = std::as_bytes(std::span(layout.table));
  sink.write(table);
  uint64_t end = sizeof(FileHeader) + table.size();
  for (size_t i = 0; i < layout.sections.size(); ++i) {
    sink.writeZeros(layout.table[i].offset - end);
    emit(layout.sections[i], sink);
    end = layout.table[i].offset + layout.table[i].bytes;
  }
}

std::string mkrt::format::writePackage(const std::string &path,
                                       const PackageParts &parts,
                                       std::span<const WeightPiece> weights,
                                       uint64_t weightBytes) {
  Layout layout;
  if (std::string error = layOut(parts, weights, weightBytes, layout);
      !error.empty())
    return path + ": " + error;
  AtomicFile file(path);
  emit(layout, file);
  return file.commit();
}

std::string mkrt::format::encodePackage(
    const PackageParts &parts, std::span<const WeightPiece> weights,
    uint64_t weightBytes,
    const std::function<std::span<std::byte>(uint64_t)> &allocate) {
  Layout layout;
  if (std::string error = layOut(parts, weights, weightBytes, layout);
      !error.empty())
    return error;
  std::span<std::byte> out = allocate(layout.header.fileBytes);
  if (out.size() != layout.header.fileBytes)
    return "cannot allocate " + std::to_string(layout.header.fileBytes) +
           " bytes for a package";
  MemorySink sink(out);
  emit(layout, sink);
  return {};
}

std::vector<std::byte>
mkrt::format::encodePackage(const PackageParts &parts,
                            std::span<const WeightPiece> weights,
                            uint64_t weightBytes) {
  std::vector<std::byte> bytes;
  std::string error =
      encodePackage(parts, weights, weightBytes, [&](uint64_t size) {
        bytes.resize(size);
        return std::span(bytes);
      });
  assert(error.empty() && "weight pieces overlap or lie outside the section");
  return bytes;
}
