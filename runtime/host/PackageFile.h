//===- PackageFile.h - A package to look at -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"
#include "runtime/host/Memory.h"

namespace mkrt::host {

/// A mapped and checked package, to look at: nothing of it runs, not even the
/// constructors of its host object, so it may be made for any machine and come
/// from anyone. Immutable once open; may be moved.
class PackageFile {
public:
  /// InvalidArgument if the file cannot be mapped, BadPackage if it is damaged
  /// or no package; the messages name the path. The file must not change while
  /// it is open.
  static Error open(const std::string &path, PackageFile &out);

  const format::PackageView &view() const { return view_; }

private:
  Mapping memory_;
  format::PackageView view_;
};

} // namespace mkrt::host
