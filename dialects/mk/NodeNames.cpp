//===- NodeNames.cpp - The ONNX nodes of a location -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mk/NodeNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

static void collect(Location loc, llvm::SetVector<llvm::StringRef> &names) {
  if (auto name = dyn_cast<NameLoc>(loc))
    names.insert(name.getName());
  else if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location inner : fused.getLocations())
      collect(inner, names);
}

std::string mkc::mk::nodeNames(Location loc) {
  llvm::SetVector<llvm::StringRef> names;
  collect(loc, names);
  return llvm::join(names, " + ");
}
