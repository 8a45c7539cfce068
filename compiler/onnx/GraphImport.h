//===- GraphImport.h - ONNX graphs as blocks of operations ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/onnx/ImportContext.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace mkc::onnx {

/// Opset versions by domain; the default domain is "".
using OpsetMap = llvm::StringMap<int64_t>;

/// The domain's canonical name: "ai.onnx" is an alias of "".
inline llvm::StringRef canonicalDomain(llvm::StringRef domain) {
  return domain == "ai.onnx" ? "" : domain;
}

/// Imports the main graph into an empty function without arguments and gives it
/// its type. `constantInputs` receives the names of inputs that have an
/// initialiser. `functions` are the symbols of the model's functions.
mlir::LogicalResult
importMainGraph(const ImportContext &import, const proto::Graph &graph,
                const OpsetMap &opsets, const llvm::StringSet<> &functions,
                mlir::func::FuncOp function,
                llvm::SmallVectorImpl<llvm::StringRef> &constantInputs);

/// Imports a model-local function's body likewise.
mlir::LogicalResult importFunctionBody(const ImportContext &import,
                                       const proto::Function &proto,
                                       const OpsetMap &opsets,
                                       const llvm::StringSet<> &functions,
                                       mlir::func::FuncOp function);

} // namespace mkc::onnx
