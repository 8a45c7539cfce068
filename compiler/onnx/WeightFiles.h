//===- WeightFiles.h - Resolves and maps weight files -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that turns the file names of `#mk.weight` and of external data
// into bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <mutex>
#include <string>

namespace mkc::mk {
class WeightAttr;
}

namespace mkc::onnx {

/// The files that weights lie in, each mapped once, read-only, until the store
/// goes. All functions may be called from several threads.
class WeightStore {
public:
  WeightStore();
  ~WeightStore();
  WeightStore(const WeightStore &) = delete;
  WeightStore &operator=(const WeightStore &) = delete;

  /// The whole of a regular file; `path` is relative to the working directory.
  llvm::Expected<llvm::StringRef> file(llvm::StringRef path);

  /// The bytes that a weight refers to. They may lie at any alignment.
  llvm::Expected<llvm::StringRef> bytes(mk::WeightAttr weight);

  /// Makes `name` stand for `bytes`, which must outlive the store: a model that
  /// was given in memory.
  void addMemory(llvm::StringRef name, llvm::StringRef bytes);

private:
  struct Mapping;
  std::mutex mutex;
  llvm::StringMap<std::unique_ptr<Mapping>> mappings;
};

/// The path of the external data `location` of a model in `folder`. An error if
/// the location is not a relative path that stays in the folder, symbolic links
/// included, or if there is no such file.
llvm::Expected<std::string> resolveExternalData(llvm::StringRef folder,
                                                llvm::StringRef location);

} // namespace mkc::onnx
