//===- NodeNames.h - The ONNX nodes of a location -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"

#include <string>

namespace mkc::mk {

/// Names of the ONNX nodes that `loc` stands for, each once, separated by
/// " + ".
std::string nodeNames(mlir::Location loc);

} // namespace mkc::mk
