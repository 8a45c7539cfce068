//===- Lower.h - From variants to a shared object -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/mk/Mk.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <vector>

namespace mkc::host {

/// The CPU that code is made for.
struct HostCpu {
  std::string name;     ///< As LLVM calls it; "native" is resolved.
  std::string features; ///< LLVM's feature string.
  std::vector<std::string>
      required; ///< Flags of /proc/cpuinfo that code may use.
};

/// `name` is "native" or a CPU name of LLVM's x86 back end ("x86-64-v3",
/// "znver4"). Returns an error text for an unknown one.
std::string resolveCpu(llvm::StringRef name, HostCpu &cpu);

/// Compiles one variant to an ELF object that defines `symbol` as a
/// mkrt::format::HostKernel. Thread-safe for variants of one context.
mlir::FailureOr<std::string> compileVariant(mk::VariantOp variant,
                                            const HostCpu &cpu);

/// MLIR after all lowering, before LLVM: for tests and dumps.
mlir::OwningOpRef<mlir::ModuleOp> lowerVariant(mk::VariantOp variant);

/// Links objects into one shared object that depends on nothing, or on the C
/// library's libm if a kernel calls it. Returns an error text, or an empty
/// string.
std::string linkObjects(llvm::ArrayRef<std::string> objects,
                        std::vector<std::byte> &shared);

} // namespace mkc::host
