//===- VerifyVariant.h - Check a variant ----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/mk/Mk.h"

namespace mkc {

/// Checks a variant's signature (flat static memrefs, scratch, environment,
/// tile), its counts, and that its access programs can be decoded and
/// evaluated. Fails with a diagnostic.
mlir::LogicalResult verifyVariant(mk::VariantOp variant);

} // namespace mkc
