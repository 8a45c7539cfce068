//===- ImportContext.cpp - What every part of an import shares ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/ImportContext.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mkc::onnx;

static Location named(StringRef name, FileLineColLoc place) {
  return NameLoc::get(StringAttr::get(place.getContext(), name), place);
}

Location ImportContext::nodeLocation(StringRef name, unsigned index) const {
  return named(name, FileLineColLoc::get(context, fileName, index, nodeColumn));
}

Location ImportContext::valueLocation(StringRef name) const {
  return named(name, FileLineColLoc::get(context, fileName, 0, valueColumn));
}

Location ImportContext::fileLocation() const {
  return FileLineColLoc::get(context, fileName, 0, valueColumn);
}

LogicalResult ImportContext::report(Location loc, WireError error) const {
  return emitError(loc) << "not a valid ONNX file: at byte "
                        << uint64_t(error.at - fileBytes.data()) << " "
                        << error.what;
}
