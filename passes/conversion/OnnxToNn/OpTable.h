//===- OpTable.h - The ONNX operators that the conversion knows -----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"

namespace mkc {

class NodeConversion;

/// Element types of tensors, as bits.
enum class ElementTypes : uint32_t {
  None = 0,
  F32 = 1,
  I32 = 2,
  I64 = 4,
  Bool = 8,
  F16 = 16,
  BF16 = 32,
};
constexpr ElementTypes operator|(ElementTypes a, ElementTypes b) {
  return ElementTypes(uint32_t(a) | uint32_t(b));
}
constexpr ElementTypes kFloats =
    ElementTypes::F32 | ElementTypes::F16 | ElementTypes::BF16;
constexpr ElementTypes kNumbers =
    kFloats | ElementTypes::I32 | ElementTypes::I64;
/// All that level 2 holds in this version.
constexpr ElementTypes kLevel2Types = kNumbers | ElementTypes::Bool;

/// The bit of an element type, or None if level 2 doesn't hold it.
ElementTypes elementTypeBit(mlir::Type element);
bool contains(ElementTypes set, ElementTypes type);
/// ONNX's name of an element type: `float`, `int64`, `bfloat16`.
std::string onnxTypeName(mlir::Type type);
/// TensorProto.DataType's number of f32.
constexpr int64_t kOnnxFloat = 1;
/// The element type that a TensorProto.DataType number stands for, or null for
/// numbers that ONNX doesn't have.
mlir::Type elementTypeOfOnnx(int64_t dataType, mlir::MLIRContext *context);

enum class OpFamily {
  Elementwise,
  Logic,
  Reduction,
  Normalization,
  MatMul,
  Convolution,
  Pooling,
  Shape,
  Data,
  Constant,
};
llvm::StringRef familyName(OpFamily family);

/// One operator of one domain. A converter reads the node's opset where
/// versions differ.
struct OpEntry {
  llvm::StringRef domain, opType;
  OpFamily family;
  int64_t firstOpset, lastOpset;
  /// Element types of the input that decides (the first; the second of Where);
  /// outputs of operators without inputs.
  ElementTypes types;
  mlir::LogicalResult (*convert)(NodeConversion &);
  unsigned typedInput = 0;
  /// Bit i is set if the value of input i must be known while compiling:
  /// shapes, axes, counts.
  uint32_t knownInputs = 0;
  /// True if the operator only moves or converts elements. The others compute:
  /// they get their operands of f16 and bf16 extended to f32, and what they
  /// give in f32 is rounded once, to the type of the input that decides.
  bool movesElements = false;
};

/// The newest opset of the default domain whose operators have been checked
/// against the table.
constexpr int64_t kNewestOpset = 28;

/// All operators, sorted by domain and type.
llvm::ArrayRef<OpEntry> opTable();

/// The entry for a node, or null.
const OpEntry *findOp(llvm::StringRef domain, llvm::StringRef opType,
                      int64_t opset);

} // namespace mkc
