//===- WeightFile.cpp - Reads the bytes of a weight -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Interpreter/WeightFile.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mkc;

FailureOr<TensorValue> mkc::readWeight(mk::WeightAttr weight,
                                       std::string &error) {
  auto type = dyn_cast<RankedTensorType>(weight.getType());
  if (!type || !type.hasStaticShape()) {
    error = "a weight without a static tensor type";
    return failure();
  }
  if (uint64_t(tensorBytes(type)) != weight.getBytes()) {
    error = "a weight in " + weight.getFile().str() + " has " +
            std::to_string(weight.getBytes()) + " bytes, but its type takes " +
            std::to_string(tensorBytes(type));
    return failure();
  }
  auto buffer = llvm::MemoryBuffer::getFileSlice(
      weight.getFile(), weight.getBytes(), weight.getOffset());
  if (!buffer || (*buffer)->getBufferSize() != weight.getBytes()) {
    error = "cannot read " + std::to_string(weight.getBytes()) + " bytes at " +
            std::to_string(weight.getOffset()) + " of " +
            weight.getFile().str();
    if (!buffer)
      error += ": " + buffer.getError().message();
    return failure();
  }
  TensorValue value(type);
  std::copy_n((*buffer)->getBufferStart(), weight.getBytes(), value.raw());
  return value;
}
