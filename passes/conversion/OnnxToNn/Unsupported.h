//===- Unsupported.h - What a model has and the conversion lacks ----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/onnx/Onnx.h"
#include "passes/conversion/OnnxToNn/OnnxToNn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mkc {

/// The name that a location carries, or "".
std::string nodeName(mlir::Location loc);

/// A node as an entry of the list, without a type.
Unsupported describeNode(onnx::NodeOp node);

/// The element types of level-1 values, null where they are not known.
using ElementMap = llvm::DenseMap<mlir::Value, mlir::Type>;

/// The types that the model states, and those that follow from them.
ElementMap inferElements(mlir::func::FuncOp func);

/// Calls `report` for what the table of operators lacks for `node`.
void forEachUnsupported(onnx::NodeOp node, const ElementMap &elements,
                        llvm::function_ref<void(Unsupported)> report);

/// Emits an error at each node that isn't supported.
mlir::LogicalResult reportUnsupported(mlir::ModuleOp module);

} // namespace mkc
