//===- TestPackage.h - Small packages for tests ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"

#include <deque>
#include <string>
#include <vector>

namespace mkrt::test {

/// Builds a package record by record. Ranks are the order of `record` calls.
class TestPackage {
public:
  explicit TestPackage(unsigned queues) : queues_(queues) {}

  format::PackageParts parts;

  uint32_t input(const std::string &name, format::DataType type,
                 std::vector<int64_t> shape);
  uint32_t output(const std::string &name, format::DataType type,
                  std::vector<int64_t> shape);

  /// Entries are in the order of operands; their code is in `builder`.
  uint32_t kernel(const std::string &symbol, uint32_t tiles, uint32_t operands,
                  const format::AccessBuilder &builder = {},
                  std::vector<format::AccessEntry> entries = {},
                  uint64_t scratchBytes = 0);

  /// A record of its own dispatch, which runs all tiles of the kernel. The
  /// reference stays valid; change it to have fewer tiles.
  format::Record &record(unsigned queue, uint32_t kernel,
                         std::vector<format::OperandRef> operands,
                         std::vector<format::Wait> waits = {},
                         std::vector<format::Signal> signals = {},
                         const std::string &node = "");

  /// Puts the records into `parts`.
  format::PackageParts &finish();
  std::vector<std::byte>
  encode(std::span<const format::WeightPiece> weights = {},
         uint64_t weightBytes = 0);

private:
  struct Item {
    format::Record record;
    uint32_t dispatch;
  };
  void addPort(std::vector<format::PortInfo> &ports, const std::string &name,
               format::DataType type, const std::vector<int64_t> &shape);

  std::vector<std::deque<Item>> queues_;
  std::vector<format::PortInfo> inputs_, outputs_;
  uint32_t recordCount_ = 0;
};

/// Bytes of the shared object with the test kernels (kernels.c).
std::vector<std::byte> testKernels();

} // namespace mkrt::test
