//===- Onnx.h - The onnx dialect ------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/onnx/OnnxDialect.h.inc"
#include "dialects/onnx/OnnxEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/onnx/OnnxTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/onnx/OnnxAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/onnx/OnnxOps.h.inc"

namespace mkc::onnx {

/// Graphs that are nested deeper are refused, so that no recursion over them
/// overflows the stack. Encoders based on libprotobuf stop earlier.
constexpr unsigned maxGraphNesting = 64;

/// Locations are `NameLoc(name, FileLineColLoc(file, index, column))`. The
/// column tells whether the name is that of a node or of a value (a graph input
/// or output, an initialiser, a function); the index is the node's in its
/// graph.
constexpr unsigned nodeColumn = 0;
constexpr unsigned valueColumn = 1;

/// The symbol of a model-local function, and so of the callee of a node.
std::string functionSymbol(llvm::StringRef domain, llvm::StringRef name,
                           llvm::StringRef overload);

} // namespace mkc::onnx
