//===- Toolchain.h - From modules to one cubin ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/CompileLog.h"
#include "codegen/cuda/CubinCache.h"
#include "codegen/cuda/Libraries.h"
#include "codegen/cuda/Program.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mkc::cuda {

/// A translation unit: a kernel's, or the program's.
struct CudaModule {
  std::string name; ///< "k3.cu": in messages and line tables.
  std::string text;
};

struct CudaBuild {
  Cubin cubin; ///< Null on an error.
  /// Of the modules, in order.
  std::vector<Cubin> modules;
  /// Errors, and warnings of modules that were compiled in this call.
  std::vector<CudaDiagnostic> diagnostics;
  /// What no module is to blame for: libraries, options, the linker.
  std::string error;
  unsigned compiled = 0; ///< Modules that were not in the cache.

  bool ok() const { return cubin != nullptr; }
  /// All errors as text.
  std::string format() const;
};

/// Compiles modules in parallel, each by itself, and links them. Results are
/// cached by content: text, options, device library, library versions. The same
/// modules give the same bytes, whatever was cached and for any number of
/// threads. Thread-safe.
class CudaToolchain {
public:
  /// Loads the libraries. Returns an error text, or an empty string.
  static std::string create(std::string cacheFolder,
                            std::unique_ptr<CudaToolchain> &out);

  /// `jobs`: compile threads, at least 1.
  CudaBuild build(const CudaChip &chip, const CompileSettings &settings,
                  std::span<const CudaModule> modules, unsigned jobs);

  const CudaLibraries &libraries() const { return libraries_; }
  CubinCache &cache() { return cache_; }

private:
  explicit CudaToolchain(std::string cacheFolder)
      : cache_(std::move(cacheFolder)) {}
  std::string checkArchitecture(const CudaChip &chip) const;
  void compileMissing(std::span<const CudaModule> modules,
                      std::span<const CubinKey> keys,
                      std::span<const std::string> options, unsigned jobs,
                      CudaBuild &build);

  CudaLibraries libraries_;
  CubinCache cache_;
};

} // namespace mkc::cuda
