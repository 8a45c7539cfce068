//===- PackageFile.cpp - A package to look at -----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/PackageFile.h"

using namespace mkrt::host;

Error PackageFile::open(const std::string &path, PackageFile &out) {
  PackageFile file;
  if (Error error = Mapping::file(path, file.memory_))
    return error;
  if (std::string error =
          format::PackageView::open(file.memory_.bytes(), file.view_);
      !error.empty())
    return {ErrorCode::BadPackage, path + ": " + error};
  out = std::move(file);
  return {};
}
