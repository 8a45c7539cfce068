//===- WeightFile.h - Reads the bytes of a weight -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/mk/Mk.h"
#include "passes/graph/Interpreter/TensorValue.h"

#include <string>

namespace mkc {

/// The value of a weight, read from its file. Fails with a text that names the
/// file, and the sizes that disagree.
llvm::FailureOr<TensorValue> readWeight(mk::WeightAttr weight,
                                        std::string &error);

} // namespace mkc
