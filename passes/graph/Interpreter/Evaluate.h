//===- Evaluate.h - The interpreter's parts -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/nn/Nn.h"
#include "passes/graph/Interpreter/Interpreter.h"

namespace mlir::linalg {
class GenericOp;
} // namespace mlir::linalg

namespace mkc {

mlir::LogicalResult evaluateGeneric(mlir::linalg::GenericOp op,
                                    Environment &environment,
                                    std::string &error);
void evaluateContract(nn::ContractOp op, Environment &environment);
void evaluatePool(nn::PoolOp op, Environment &environment);
void evaluateArgPool(nn::ArgPoolOp op, Environment &environment);
mlir::LogicalResult evaluateGather(nn::GatherOp op, Environment &environment,
                                   std::string &error);
void evaluateArgReduce(nn::ArgReduceOp op, Environment &environment);

} // namespace mkc
