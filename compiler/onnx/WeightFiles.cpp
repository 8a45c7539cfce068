//===- WeightFiles.cpp - Resolves and maps weight files -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/WeightFiles.h"

#include "dialects/mk/Mk.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace mkc::onnx;

struct WeightStore::Mapping {
  sys::fs::mapped_file_region region;
  StringRef bytes;
};

WeightStore::WeightStore() = default;
WeightStore::~WeightStore() = default;

static Error fileError(const Twine &path, const Twine &what) {
  return createStringError(path + ": " + what);
}

/// Maps a regular file. Anything else is refused before it is opened: opening
/// a pipe would wait for a writer.
static Expected<sys::fs::mapped_file_region> mapFile(StringRef path,
                                                     uint64_t &size) {
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return fileError(path, code.message());
  if (!sys::fs::is_regular_file(status))
    return fileError(path, "is not a regular file");
  size = status.getSize();
  if (size == 0) // nothing can be mapped
    return sys::fs::mapped_file_region();
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file)
    return fileError(path, toString(file.takeError()));
  std::error_code code;
  sys::fs::mapped_file_region region(
      *file, sys::fs::mapped_file_region::readonly, size, 0, code);
  sys::fs::closeFile(*file);
  if (code)
    return fileError(path, code.message());
  return region;
}

Expected<StringRef> WeightStore::file(StringRef path) {
  std::lock_guard lock(mutex);
  if (auto it = mappings.find(path); it != mappings.end())
    return it->second->bytes;
  uint64_t size;
  Expected<sys::fs::mapped_file_region> region = mapFile(path, size);
  if (!region)
    return region.takeError();
  auto mapping = std::make_unique<Mapping>();
  mapping->region = std::move(*region);
  if (size)
    mapping->bytes = StringRef(mapping->region.const_data(), size);
  return (mappings[path] = std::move(mapping))->bytes;
}

Expected<StringRef> WeightStore::bytes(mk::WeightAttr weight) {
  Expected<StringRef> whole = file(weight.getFile());
  if (!whole)
    return whole;
  uint64_t offset = weight.getOffset(), size = weight.getBytes();
  if (offset > whole->size() || size > whole->size() - offset)
    return fileError(weight.getFile(), "a weight of " + Twine(size) +
                                           " bytes at offset " + Twine(offset) +
                                           " lies outside the file's " +
                                           Twine(whole->size()) + " bytes");
  return whole->substr(offset, size);
}

void WeightStore::addMemory(StringRef name, StringRef bytes) {
  auto mapping = std::make_unique<Mapping>();
  mapping->bytes = bytes;
  std::lock_guard lock(mutex);
  mappings[name] = std::move(mapping);
}

Expected<std::string> mkc::onnx::resolveExternalData(StringRef folder,
                                                     StringRef location) {
  if (location.empty() || location.contains('\0') ||
      sys::path::is_absolute(location))
    return fileError("external data '" + location + "'",
                     "is not a path relative to the model's folder");
  for (StringRef part :
       make_range(sys::path::begin(location), sys::path::end(location)))
    if (part == "..")
      return fileError("external data '" + location + "'",
                       "leaves the model's folder");

  SmallString<256> path(folder);
  sys::path::append(path, location);
  SmallString<256> realFolder, realPath;
  if (std::error_code code = sys::fs::real_path(path, realPath))
    return fileError(path, code.message());
  if (std::error_code code =
          sys::fs::real_path(folder.empty() ? "." : folder, realFolder))
    return fileError(folder, code.message());
  StringRef rest = realPath;
  bool isInside =
      rest.consume_front(realFolder) &&
      (realFolder.ends_with("/") || rest.empty() || rest.starts_with("/"));
  if (!isInside)
    return fileError("external data '" + location + "'",
                     "leaves the model's folder through a symbolic link");
  return std::string(path);
}
