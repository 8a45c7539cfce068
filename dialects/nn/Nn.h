//===- Nn.h - The nn dialect ----------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/nn/NnDialect.h.inc"
#include "dialects/nn/NnEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NnAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/nn/NnOps.h.inc"
