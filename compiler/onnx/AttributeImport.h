//===- AttributeImport.h - ONNX node attributes ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/onnx/ImportContext.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace mkc::onnx {

/// Imports the value of an attribute of any kind but GRAPH and GRAPHS, as
/// `onnx.node` describes.
llvm::FailureOr<mlir::Attribute>
importAttribute(const ImportContext &import, mlir::Location loc,
                const proto::Attribute &attribute);

} // namespace mkc::onnx
