//===- ImportContext.cpp - What every part of an import shares ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/ImportContext.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mkc::onnx;

Location ImportContext::location(StringRef name, unsigned index) const {
  auto file = FileLineColLoc::get(context, fileName, index, 0);
  if (name.empty())
    return file;
  return NameLoc::get(StringAttr::get(context, name), file);
}

LogicalResult ImportContext::report(Location loc, WireError error) const {
  return emitError(loc) << "not a valid ONNX file: at byte "
                        << uint64_t(error.at - fileBytes.data()) << " "
                        << error.what;
}
