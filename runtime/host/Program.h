//===- Program.h - An immutable, loaded package ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/HostAbi.h"
#include "runtime/format/Package.h"
#include "runtime/host/Error.h"
#include "runtime/host/Fold.h"
#include "runtime/host/Memory.h"
#include "runtime/host/SharedObject.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mkrt::host {

/// What happens to the bytes that a program is loaded from.
enum class Ownership : uint8_t {
  Copy,  ///< The program keeps a copy.
  Borrow ///< The bytes outlive the program, unchanged; aligned to 64.
};

/// A checked package with its host kernels loaded. Immutable: any number of
/// threads and contexts may share one.
class Program {
public:
  /// Maps a file, which must not change while the program lives. Errors:
  /// InvalidArgument (the file cannot be mapped, borrowed bytes are not
  /// aligned), OutOfMemory, BadPackage (damaged), Unsupported (this runtime or
  /// this CPU lacks something), Schedule (a counter overflows), System (the
  /// host object cannot be loaded). Messages start with the path. Runs the host
  /// object's constructors: load what you trust. `out` is set on success only.
  /// Safe to call from several threads; may throw std::bad_alloc.
  static Error load(const std::string &path,
                    std::shared_ptr<const Program> &out);
  static Error load(std::span<const std::byte> bytes, Ownership ownership,
                    std::shared_ptr<const Program> &out);
  /// Takes the bytes over.
  static Error load(Mapping bytes, std::shared_ptr<const Program> &out);

  const format::PackageView &view() const { return view_; }
  format::HostKernel kernel(uint32_t k) const { return kernels_[k]; }
  std::span<const uint32_t> recordOfRank() const { return recordOfRank_; }

  /// The sum of all amounts that signal a counter.
  uint32_t counterTotal(uint32_t counter) const {
    return counterTotal_[counter];
  }
  /// The least target of the counter's waits; the largest number without waits.
  uint32_t leastTarget(uint32_t counter) const { return leastTarget_[counter]; }

  /// Name of the dispatch that a record belongs to.
  std::string_view dispatchName(uint32_t record) const;

private:
  Error initialize(std::span<const std::byte> bytes, const std::string &name);
  Error checkSupport() const;
  Error checkHostFeatures() const;
  Error loadKernels();
  Error tabulateCounters();

  Mapping memory_;
  format::PackageView view_;
  SharedObject object_;
  std::vector<format::HostKernel> kernels_;
  std::vector<uint32_t> recordOfRank_, counterTotal_, leastTarget_;
};

} // namespace mkrt::host
