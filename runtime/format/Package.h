//===- Package.h - Layout of a .mkp file ----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A package is one file that can be mapped: a header, a table of sections, then
// sections aligned to `kSectionAlignment`. All numbers are little-endian.
// Nothing in a package is trusted before `PackageView::open` has checked
// header, bounds, checksums and every index.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/AccessProgram.h"
#include "runtime/format/DataType.h"
#include "runtime/format/Record.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mkrt::format {

inline constexpr char kMagic[8] = {'\x89', 'M',  'K',    'P',
                                   '\r',   '\n', '\x1a', '\n'};
/// 0 = unstable: a reader accepts its own version only.
inline constexpr uint32_t kFormatVersion = 0;
inline constexpr uint64_t kSectionAlignment = 4096;
inline constexpr uint64_t kWeightAlignment = 64;

enum class SectionKind : uint32_t {
  Manifest = 1,       ///< JSON: model, versions, options; for people and tools.
  Program = 2,        ///< One ProgramInfo.
  Records = 3,        ///< Record[], grouped by queue.
  QueueStarts = 4,    ///< u32[queues + 1]: queue q holds records [q], [q + 1).
  RecordDispatch = 5, ///< u32 per record: index into Dispatches.
  OperandTable = 6,   ///< u64[]: operands past the inline ones.
  Kernels = 7,        ///< KernelInfo[]
  Accesses = 8,       ///< AccessEntry[]
  AccessCode = 9,     ///< AccessInstr[]
  Dispatches = 10,    ///< DispatchInfo[]
  Ports = 11,         ///< PortInfo[]: inputs, then outputs.
  Dims = 12,          ///< i64[]: the dims of ports.
  Strings = 13,       ///< Bytes of names; entries are (offset, length).
  Weights = 14,       ///< Bytes.
  HostObject = 15,    ///< ELF shared object with the host kernels.
};

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t sectionCount;
  uint64_t fileBytes;
  uint64_t tableChecksum; ///< XXH3-64 of the section table.
};
static_assert(sizeof(FileHeader) == 32);

struct SectionInfo {
  SectionKind kind;
  uint32_t reserved;
  uint64_t offset; ///< From the start of the file, a multiple of the alignment.
  uint64_t bytes;
  uint64_t checksum; ///< XXH3-64 of the section's bytes.
};
static_assert(sizeof(SectionInfo) == 32);

struct StringRef {
  uint32_t offset, length;
};

struct ProgramInfo {
  uint64_t arenaBytes;
  uint64_t stateBytes;
  uint64_t scratchBytes; ///< Per worker; the largest that any kernel needs.
  uint32_t counterCount; ///< Per bank.
  uint32_t queueCount;
  uint32_t inputCount;
  uint32_t outputCount;
  uint32_t parameterCount; ///< Entries of the per-run parameter table.
  uint32_t dimCount;       ///< Bounded dims.
};

struct KernelInfo {
  StringRef symbol; ///< Entry point in the host object.
  uint32_t tileCount;
  uint32_t operandCount;
  /// In Accesses, sorted by operand; those of the kernels follow each other.
  uint32_t firstAccess, accessCount;
  uint64_t scratchBytes;
};

/// One kernel launch of the model: what records and errors are named after.
struct DispatchInfo {
  StringRef name; ///< Names of the ONNX nodes, separated by " + ".
  uint32_t kernel;
  uint32_t reserved;
};

struct PortInfo {
  StringRef name;
  DataType type;
  uint32_t rank;
  uint32_t firstDim; ///< In Dims.
  uint32_t reserved;
  uint64_t bytes;
};

/// The parts of a package in memory, before writing or after reading. `weights`
/// are not copied: the writer takes them as pieces.
struct PackageParts {
  std::string manifest;
  ProgramInfo program{};
  std::vector<Record> records;
  std::vector<uint32_t> queueStarts;
  std::vector<uint32_t> recordDispatch;
  std::vector<uint64_t> operandTable;
  std::vector<KernelInfo> kernels;
  std::vector<AccessEntry> accesses;
  std::vector<AccessInstr> accessCode;
  std::vector<DispatchInfo> dispatches;
  std::vector<PortInfo> ports;
  std::vector<int64_t> dims;
  std::string strings;
  std::vector<std::byte> hostObject;

  /// Appends to `strings`, sharing equal names.
  StringRef intern(std::string_view text);

private:
  std::unordered_map<std::string, StringRef> interned_;
};

/// A piece of the weights section; pieces must not overlap, gaps are zero.
struct WeightPiece {
  uint64_t offset; ///< In the weights section, a multiple of kWeightAlignment.
  std::span<const std::byte> bytes;
};

/// Writes a package under a temporary name beside `path` and renames it.
/// Returns an error text (path, what failed, the system's reason), or an empty
/// string; on an error (pieces that overlap or lie outside included) no file is
/// left.
std::string writePackage(const std::string &path, const PackageParts &parts,
                         std::span<const WeightPiece> weights,
                         uint64_t weightBytes);

/// The same bytes in memory: `allocate` is asked once for that many and returns
/// them, or none if there is no memory. Returns an error text (pieces that
/// overlap or lie outside, or no memory), or an empty string.
std::string
encodePackage(const PackageParts &parts, std::span<const WeightPiece> weights,
              uint64_t weightBytes,
              const std::function<std::span<std::byte>(uint64_t)> &allocate);

/// The same in a vector, for small packages. The pieces must not overlap and
/// must lie inside `weightBytes`.
std::vector<std::byte> encodePackage(const PackageParts &parts,
                                     std::span<const WeightPiece> weights,
                                     uint64_t weightBytes);

/// Typed, checked view of a package's bytes, which must outlive it and be
/// aligned to 16 bytes. Copyable; safe to share between threads.
class PackageView {
public:
  /// Checks everything that later readers index by: header, section bounds and
  /// alignment, checksums, opcodes, kernels, operands (space, port, offset
  /// inside its allocation), counters, waits and signals counts, tile ranges
  /// (inside the kernel's grid, without overflow), ranks (a permutation),
  /// strings, access code. Returns an error text, or an empty string.
  static std::string open(std::span<const std::byte> bytes, PackageView &out);

  const ProgramInfo &program() const { return *program_; }
  std::string_view manifest() const { return manifest_; }
  std::span<const Record> records() const { return records_; }
  std::span<const uint32_t> queueStarts() const { return queueStarts_; }
  std::span<const uint32_t> recordDispatch() const { return recordDispatch_; }
  std::span<const uint64_t> operandTable() const { return operandTable_; }
  std::span<const KernelInfo> kernels() const { return kernels_; }
  std::span<const AccessEntry> accesses() const { return accesses_; }
  std::span<const AccessInstr> accessCode() const { return accessCode_; }
  std::span<const DispatchInfo> dispatches() const { return dispatches_; }
  std::span<const PortInfo> ports() const { return ports_; }
  std::span<const PortInfo> inputs() const;
  std::span<const PortInfo> outputs() const;
  std::span<const int64_t> dims() const { return dims_; }
  std::span<const int64_t> shape(const PortInfo &port) const;
  std::string_view strings() const { return strings_; }
  std::string_view string(StringRef ref) const;
  std::span<const std::byte> weights() const { return weights_; }
  std::span<const std::byte> hostObject() const { return hostObject_; }

  /// The queue that a record stands on.
  uint32_t queueOf(uint32_t record) const;
  /// Operand `i` of a record, from the record or the operand table.
  OperandRef operand(const Record &record, unsigned i) const;
  /// Bytes of the allocation that `ref` points into.
  uint64_t spaceBytes(OperandRef ref) const;

  /// A copy of everything but the weights, to be changed and written again.
  PackageParts parts() const;

private:
  friend class PackageReader;
  const ProgramInfo *program_ = nullptr;
  std::string_view manifest_, strings_;
  std::span<const Record> records_;
  std::span<const uint32_t> queueStarts_, recordDispatch_;
  std::span<const uint64_t> operandTable_;
  std::span<const KernelInfo> kernels_;
  std::span<const AccessEntry> accesses_;
  std::span<const AccessInstr> accessCode_;
  std::span<const DispatchInfo> dispatches_;
  std::span<const PortInfo> ports_;
  std::span<const int64_t> dims_;
  std::span<const std::byte> weights_, hostObject_;
};

} // namespace mkrt::format
