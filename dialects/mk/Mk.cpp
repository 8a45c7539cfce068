//===- Mk.cpp - The mk dialect --------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mk/Mk.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mkc::mk;

#include "dialects/mk/MkDialect.cpp.inc"
#include "dialects/mk/MkEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/mk/MkAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/mk/MkOps.cpp.inc"

void MkDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/mk/MkAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/mk/MkOps.cpp.inc"
      >();
}

void WeightOp::build(OpBuilder &, OperationState &state, WeightAttr value) {
  state.addTypes(value.getType());
  state.addAttribute("value", value);
}
