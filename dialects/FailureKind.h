//===- FailureKind.h - Whose mistake an error is --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A diagnostic may say what kind of failure it reports, for the exit code of
// the command. It travels as metadata, which is not printed. Most diagnostics
// say nothing: the phase that gives them knows what they mean.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace mkc {

/// In the order of their weight: of several, the last one counts.
enum class FailureKind : int32_t {
  BadInput,  ///< The model or the command line is wrong, or not supported.
  Resources, ///< The machine has not enough memory.
  Internal   ///< A mistake of mkc's.
};

/// Marks an error that is being built.
inline mlir::InFlightDiagnostic markFailure(mlir::InFlightDiagnostic diagnostic,
                                            FailureKind kind) {
  if (mlir::Diagnostic *error = diagnostic.getUnderlyingDiagnostic())
    error->getMetadata().push_back(mlir::DiagnosticArgument(int32_t(kind)));
  return diagnostic;
}

/// What `markFailure` has said, if anything.
inline std::optional<FailureKind> failureKindOf(mlir::Diagnostic &diagnostic) {
  for (mlir::DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() ==
        mlir::DiagnosticArgument::DiagnosticArgumentKind::Integer)
      return FailureKind(argument.getAsInteger());
  return std::nullopt;
}

} // namespace mkc
