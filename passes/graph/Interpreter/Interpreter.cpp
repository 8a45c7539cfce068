//===- Interpreter.cpp - Evaluates level-2 IR -----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Interpreter/Interpreter.h"
#include "passes/graph/Interpreter/Domain.h"
#include "passes/graph/Interpreter/Evaluate.h"
#include "passes/graph/Interpreter/WeightFile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mkc;

static RankedTensorType resultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

static LogicalResult evaluateConstant(arith::ConstantOp op, Environment &env,
                                      std::string &error) {
  Attribute value = op.getValue();
  if (auto typed = dyn_cast<TypedAttr>(value);
      isa<FloatAttr, IntegerAttr>(value))
    value = DenseElementsAttr::get(RankedTensorType::get({}, typed.getType()),
                                   value);
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements) {
    error = "a constant that isn't dense";
    return failure();
  }
  env[op.getResult()] = TensorValue::fromElements(elements);
  return success();
}

static void evaluateFill(linalg::FillOp op, Environment &env) {
  TensorValue scalar = env.lookup(op.getInputs()[0]);
  TensorValue result(resultType(op));
  int64_t size = scalar.getNumBytes();
  for (int64_t at = 0; at < result.getNumBytes(); at += size)
    std::copy_n(scalar.raw(), size, result.raw() + at);
  env[op->getResult(0)] = result;
}

/// Copies the box at `fromOffset` with `fromStrides` to the one at `toOffset`
/// with `toStrides`, all in elements.
static void copyBox(ArrayRef<int64_t> sizes, const TensorValue &from,
                    int64_t fromOffset, ArrayRef<int64_t> fromStrides,
                    TensorValue &to, int64_t toOffset,
                    ArrayRef<int64_t> toStrides) {
  int64_t bytes = elementBytes(from.getElementType());
  SmallVector<unsigned> outer(llvm::to_vector(
      llvm::seq<unsigned>(0, sizes.empty() ? 0 : sizes.size() - 1)));
  int64_t length = sizes.empty() ? 1 : sizes.back();
  int64_t fromStep = sizes.empty() ? 0 : fromStrides.back() * bytes;
  int64_t toStep = sizes.empty() ? 0 : toStrides.back() * bytes;
  forEachPoint(sizes, outer, [&](ArrayRef<int64_t> point) {
    int64_t fromAt = fromOffset, toAt = toOffset;
    for (unsigned d : outer) {
      fromAt += point[d] * fromStrides[d];
      toAt += point[d] * toStrides[d];
    }
    const char *source = from.raw() + fromAt * bytes;
    char *target = to.raw() + toAt * bytes;
    for (int64_t i = 0; i < length; ++i)
      std::copy_n(source + i * fromStep, bytes, target + i * toStep);
  });
}

static void evaluateSlice(tensor::ExtractSliceOp op, Environment &env) {
  TensorValue from = env.lookup(op.getSource());
  TensorValue to(resultType(op));
  SmallVector<int64_t> strides = rowMajorStrides(from.getShape());
  int64_t offset = 0;
  for (auto [d, stride] : llvm::enumerate(strides)) {
    offset += op.getStaticOffset(d) * stride;
    stride *= op.getStaticStride(d);
  }
  copyBox(to.getShape(), from, offset, strides, to, 0,
          rowMajorStrides(to.getShape()));
  env[op.getResult()] = to;
}

static void evaluateConcat(tensor::ConcatOp op, Environment &env) {
  TensorValue to(resultType(op));
  SmallVector<int64_t> strides = rowMajorStrides(to.getShape());
  int64_t offset = 0;
  for (Value operand : op.getInputs()) {
    TensorValue from = env.lookup(operand);
    copyBox(from.getShape(), from, 0, rowMajorStrides(from.getShape()), to,
            offset, strides);
    offset += from.getShape()[op.getDim()] * strides[op.getDim()];
  }
  env[op.getResult()] = to;
}

LogicalResult mkc::evaluateOp(Operation *op, Environment &env,
                              std::string &error) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case(
          [&](arith::ConstantOp o) { return evaluateConstant(o, env, error); })
      .Case([&](mk::WeightOp o) {
        FailureOr<TensorValue> value = readWeight(o.getValue(), error);
        if (succeeded(value))
          env[o.getResult()] = *value;
        return LogicalResult(value);
      })
      .Case([&](tensor::EmptyOp o) {
        env[o.getResult()] = TensorValue(o.getType());
        return success();
      })
      .Case([&](linalg::FillOp o) { return evaluateFill(o, env), success(); })
      .Case([&](linalg::GenericOp o) { return evaluateGeneric(o, env, error); })
      .Case(
          [&](nn::ContractOp o) { return evaluateContract(o, env), success(); })
      .Case([&](nn::PoolOp o) { return evaluatePool(o, env), success(); })
      .Case([&](nn::ArgPoolOp o) { return evaluateArgPool(o, env), success(); })
      .Case([&](nn::GatherOp o) { return evaluateGather(o, env, error); })
      .Case([&](nn::ArgReduceOp o) {
        return evaluateArgReduce(o, env), success();
      })
      .Case([&](tensor::ExtractSliceOp o) {
        return evaluateSlice(o, env), success();
      })
      .Case(
          [&](tensor::ConcatOp o) { return evaluateConcat(o, env), success(); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto o) {
        env[o.getResult()] = env.lookup(o.getSrc()).reshaped(resultType(o));
        return success();
      })
      .Default([&](Operation *o) {
        error = o->getName().getStringRef().str() + " is not an op of level 2";
        return failure();
      });
}

/// How many later uses each value has, so that its bytes are freed after the
/// last.
static void release(Operation &op, Environment &env,
                    DenseMap<Value, int64_t> &usesLeft) {
  for (Value operand : op.getOperands())
    if (--usesLeft[operand] == 0)
      env.erase(operand);
}

FailureOr<SmallVector<TensorValue>>
mkc::evaluateFunction(func::FuncOp func, ArrayRef<TensorValue> arguments) {
  if (func.getNumArguments() != arguments.size())
    return func.emitError() << "has " << func.getNumArguments()
                            << " arguments, but got " << arguments.size();
  Environment env;
  for (auto [argument, value] :
       llvm::zip_equal(func.getArguments(), arguments)) {
    if (argument.getType() != value.getType())
      return func.emitError()
             << "argument " << argument.getArgNumber() << " is "
             << argument.getType() << ", but got " << value.getType();
    env[argument] = value;
  }
  DenseMap<Value, int64_t> usesLeft;
  for (Operation &op : func.front())
    for (Value operand : op.getOperands())
      ++usesLeft[operand];
  for (Operation &op : func.front().without_terminator()) {
    std::string error;
    if (failed(evaluateOp(&op, env, error)))
      return op.emitError() << error;
    release(op, env, usesLeft);
  }
  return llvm::map_to_vector(func.front().getTerminator()->getOperands(),
                             [&](Value value) { return env.lookup(value); });
}

int64_t mkc::countPoints(Operation *op) {
  auto product = [](ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                           std::multiplies<>());
  };
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return product(generic.getStaticLoopRanges());
  if (auto contract = dyn_cast<nn::ContractOp>(op))
    return product(contract.getExtents());
  if (auto pool = dyn_cast<nn::PoolOp>(op))
    return product(pool.getExtents());
  if (auto pool = dyn_cast<nn::ArgPoolOp>(op))
    return product(pool.getExtents());
  int64_t points = 1;
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      points = std::max(points, tensor.getNumElements());
  return std::max(points, resultType(op).getNumElements());
}
