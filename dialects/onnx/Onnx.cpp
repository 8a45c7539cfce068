//===- Onnx.cpp - The onnx dialect ----------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/onnx/Onnx.h"
#include "dialects/mk/Mk.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mkc::onnx;

#include "dialects/onnx/OnnxDialect.cpp.inc"
#include "dialects/onnx/OnnxEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/onnx/OnnxTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/onnx/OnnxAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/onnx/OnnxOps.cpp.inc"

void OnnxDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/onnx/OnnxTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/onnx/OnnxAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/onnx/OnnxOps.cpp.inc"
      >();
}

LogicalResult NodeOp::verify() {
  size_t names = getGraphAttributes() ? getGraphAttributes()->size() : 0;
  if (names != getGraphs().size())
    return emitOpError("has ") << getGraphs().size() << " subgraphs, but "
                               << names << " names for them";
  if (getOutputNames() && getOutputNames()->size() != getNumResults())
    return emitOpError("has ") << getNumResults() << " outputs, but "
                               << getOutputNames()->size() << " names for them";
  return success();
}

std::string mkc::onnx::functionSymbol(StringRef domain, StringRef name,
                                      StringRef overload) {
  std::string symbol = (domain + ":" + name).str();
  if (!overload.empty())
    symbol += (":" + overload).str();
  return symbol;
}
