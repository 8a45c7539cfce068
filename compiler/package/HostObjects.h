//===- HostObjects.h - Objects of all host variants -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/host/Lower.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mkc {

/// One ELF object per variant of a module.
class HostObjects {
public:
  /// Compiles all variants on `jobs` threads. Fails with diagnostics.
  mlir::LogicalResult compile(mlir::ModuleOp module, const host::HostCpu &cpu,
                              unsigned jobs);

  /// Links the named variants. Returns an error text, or an empty string.
  std::string link(llvm::ArrayRef<llvm::StringRef> names,
                   std::vector<std::byte> &shared) const;

private:
  llvm::StringMap<std::string> objects;
};

} // namespace mkc
