//===- NodeConversion.h - One ONNX node while it is converted -------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/onnx/Onnx.h"
#include "passes/graph/Build/NnBuilder.h"

#include "mlir/IR/Diagnostics.h"

namespace mkc {

/// A node, its inputs at level 2, and the builder for what it becomes.
/// Converters push their results, in the order of the node's outputs.
///
/// A node that computes gets its inputs of f16 and bf16 extended to f32, and
/// its results are rounded once, after it has been converted: so converters
/// need not know of these types.
class NodeConversion : public NnBuilder {
public:
  NodeConversion(mlir::OpBuilder &builder, onnx::NodeOp node,
                 llvm::ArrayRef<mlir::Value> inputs);

  /// Extends inputs of f16 and bf16. `typedInput` decides the type of results.
  void widenInputs(unsigned typedInput);
  /// Rounds the results of f32 if that type is f16 or bf16.
  void roundResults();

  llvm::StringRef opType() { return node.getOpType(); }
  int64_t opset() { return node.getOpset(); }

  /// Input `i`, or null if it is omitted.
  mlir::Value input(unsigned i) const {
    return i < inputs.size() ? inputs[i] : mlir::Value();
  }
  unsigned numInputs() const { return inputs.size(); }
  llvm::ArrayRef<mlir::Value> allInputs() const { return inputs; }
  /// Checks that there are between `least` and `most` inputs and none of the
  /// first `least` is omitted.
  mlir::LogicalResult expectInputs(unsigned least, unsigned most = ~0u);
  /// The element type that input `i` has in the model, or null.
  mlir::Type inputType(unsigned i) const {
    return i < inputTypes.size() ? inputTypes[i] : mlir::Type();
  }
  /// Checks that the given inputs, or else all, have the same element type in
  /// the model; omitted ones don't count.
  mlir::LogicalResult expectSameType();
  mlir::LogicalResult expectSameType(llvm::ArrayRef<unsigned> which);
  unsigned numOutputs() { return node.getNumResults(); }
  bool isOutputUsed(unsigned i) {
    return i < node.getNumResults() && !node.getResult(i).use_empty();
  }

  //===--- Attributes: a wrong type is reported once and the default is used
  // until the driver stops.
  bool hasAttr(llvm::StringRef name) {
    return bool(node.getNodeAttributes().get(name));
  }
  mlir::Attribute attr(llvm::StringRef name) {
    return node.getNodeAttributes().get(name);
  }
  int64_t intAttr(llvm::StringRef name, int64_t orElse);
  double floatAttr(llvm::StringRef name, double orElse);
  std::string stringAttr(llvm::StringRef name, llvm::StringRef orElse);
  std::optional<llvm::SmallVector<int64_t>> intsAttr(llvm::StringRef name);
  /// An INTS attribute of `count` entries, all `orElse` if it is missing.
  llvm::SmallVector<int64_t> intsAttr(llvm::StringRef name, size_t count,
                                      int64_t orElse);
  bool hadError() const { return reported; }
  /// True if what was reported is that something isn't supported.
  bool isUnsupported() const { return reportedUnsupported; }

  //===--- Values that must be known while compiling.
  /// The integers of a constant input. Reports that input `i`, called `what`,
  /// isn't constant.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  constantInts(unsigned i, llvm::StringRef what);
  /// As constantInts, from an attribute if the node has it, else from input
  /// `i`; nothing if neither is there.
  mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>>
  intsFromAttrOrInput(llvm::StringRef name, unsigned i);

  /// `axis` counted from the front, or an error that names it and the rank;
  /// `rank` itself is allowed if `inclusive`.
  mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank,
                                         bool inclusive = false);
  /// Normalised, sorted, without duplicates.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  /// The shape that all of `values` broadcast to, or an error with the two that
  /// don't.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  broadcastShape(llvm::ArrayRef<mlir::Value> values);

  /// The two operands of an operator that broadcasts. Up to opset 6 attributes
  /// `broadcast` and `axis` say how the second meets the first's dims: it gets
  /// dims of size 1 behind.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> binaryOperands();

  /// An error at the node: "Op: ...".
  mlir::InFlightDiagnostic error();
  /// "Op: <what> is not supported".
  mlir::LogicalResult unsupported(const llvm::Twine &what);

  /// Elementwise on operands that broadcast.
  mlir::LogicalResult pushElementwise(llvm::ArrayRef<mlir::Value> operands,
                                      mlir::Type element, Body body);
  mlir::LogicalResult push(mlir::Value value) {
    results.push_back(value);
    return mlir::success();
  }
  /// A result that has its type already, whatever the type of the inputs.
  mlir::LogicalResult pushTyped(mlir::Value value) {
    typedResults.push_back(results.size());
    return push(value);
  }

  onnx::NodeOp node;
  llvm::SmallVector<mlir::Value> results;

private:
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Type> inputTypes;
  llvm::SmallVector<size_t> typedResults;
  mlir::Type roundTo; ///< Null if results stay as they are.
  bool reported = false, reportedUnsupported = false;
};

/// `[1, 2, 3]`.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace mkc
