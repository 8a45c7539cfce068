//===- NodeConversion.cpp - One ONNX node while it is converted -----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/NodeConversion.h"
#include "passes/conversion/OnnxToNn/OpTable.h"

#include "dialects/nn/ElementTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mkc;

std::string mkc::shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(shape, stream);
  stream << ']';
  return text;
}

NodeConversion::NodeConversion(OpBuilder &builder, onnx::NodeOp node,
                               ArrayRef<Value> inputs)
    : NnBuilder(builder, node.getLoc()), node(node), inputs(inputs) {
  for (Value input : inputs)
    inputTypes.push_back(input ? elementOf(input) : Type());
}

void NodeConversion::widenInputs(unsigned typedInput) {
  for (Value &input : inputs)
    if (input)
      input = widened(input);
  Type type = inputType(typedInput);
  if (type && nn::isHalf(type))
    roundTo = type;
}

void NodeConversion::roundResults() {
  if (!roundTo)
    return;
  // Rounding replaces values, and one may be given twice.
  llvm::SmallDenseMap<Value, Value> done;
  for (auto [i, result] : llvm::enumerate(results)) {
    if (!elementOf(result).isF32() || llvm::is_contained(typedResults, i))
      continue;
    auto [entry, isNew] = done.try_emplace(result, Value());
    if (isNew)
      entry->second = rounded(result, roundTo);
    result = entry->second;
  }
}

InFlightDiagnostic NodeConversion::error() {
  reported = true;
  return mlir::emitError(getLoc()) << opType() << ": ";
}

LogicalResult NodeConversion::unsupported(const Twine &what) {
  reportedUnsupported = true;
  return error() << what.str() << " is not supported";
}

LogicalResult NodeConversion::expectInputs(unsigned least, unsigned most) {
  unsigned given = 0;
  for (auto [i, value] : llvm::enumerate(inputs))
    if (value)
      given = i + 1;
  if (given < least)
    return error() << "has " << given << " inputs, but needs " << least;
  if (given > most)
    return error() << "has " << given << " inputs, but takes " << most;
  for (unsigned i = 0; i < least; ++i)
    if (!inputs[i])
      return error() << "input " << i << " is omitted, but is not optional";
  return success();
}

LogicalResult NodeConversion::expectSameType() {
  return expectSameType(
      llvm::to_vector(llvm::seq<unsigned>(0, inputTypes.size())));
}

LogicalResult NodeConversion::expectSameType(ArrayRef<unsigned> which) {
  Type first;
  for (unsigned i : which) {
    Type type = inputType(i);
    if (first && type && type != first)
      return error() << "inputs have element types " << onnxTypeName(first)
                     << " and " << onnxTypeName(type);
    first = first ? first : type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

int64_t NodeConversion::intAttr(StringRef name, int64_t orElse) {
  Attribute value = attr(name);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    return integer.getInt();
  if (value)
    error() << "attribute " << name << " is not an integer";
  return orElse;
}

double NodeConversion::floatAttr(StringRef name, double orElse) {
  Attribute value = attr(name);
  if (auto number = dyn_cast_or_null<FloatAttr>(value))
    return number.getValueAsDouble();
  if (value)
    error() << "attribute " << name << " is not a float";
  return orElse;
}

std::string NodeConversion::stringAttr(StringRef name, StringRef orElse) {
  Attribute value = attr(name);
  if (auto string = dyn_cast_or_null<StringAttr>(value))
    return string.str();
  if (value)
    error() << "attribute " << name << " is not a string";
  return orElse.str();
}

std::optional<SmallVector<int64_t>> NodeConversion::intsAttr(StringRef name) {
  Attribute value = attr(name);
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(value))
    return SmallVector<int64_t>(list.asArrayRef());
  if (value)
    error() << "attribute " << name << " is not a list of integers";
  return std::nullopt;
}

SmallVector<int64_t> NodeConversion::intsAttr(StringRef name, size_t count,
                                              int64_t orElse) {
  std::optional<SmallVector<int64_t>> list = intsAttr(name);
  if (list && list->size() == count)
    return *list;
  if (list)
    error() << "attribute " << name << " has " << list->size()
            << " entries, but " << count << " are needed";
  return SmallVector<int64_t>(count, orElse);
}

//===----------------------------------------------------------------------===//
// Known values, axes, shapes
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>> NodeConversion::constantInts(unsigned i,
                                                             StringRef what) {
  Value value = input(i);
  if (!value)
    return error() << "input " << i << " (" << what << ") is missing";
  Type element = elementOf(value);
  if (!element.isInteger(32) && !element.isInteger(64))
    return error() << "input " << i << " (" << what << ") has element type "
                   << onnxTypeName(element) << ", but must be int64";
  TypedAttr splat = splatOf(value);
  DenseElementsAttr elements = constantOf(value);
  if (!splat && !elements)
    return LogicalResult(
        unsupported(what + " (input " + Twine(i) +
                    ") that is computed from the model's inputs' values"));
  constexpr int64_t most = kInlineConstantBytes / 8;
  int64_t count = tensorTypeOf(value).getNumElements();
  if (count > most)
    return error() << "input " << i << " (" << what << ") has " << count
                   << " elements, but at most " << most << " make sense";
  if (splat)
    return SmallVector<int64_t>(tensorTypeOf(value).getNumElements(),
                                cast<IntegerAttr>(splat).getInt());
  SmallVector<int64_t> values;
  for (const APInt &element : elements.getValues<APInt>())
    values.push_back(element.getSExtValue());
  return values;
}

FailureOr<std::optional<SmallVector<int64_t>>>
NodeConversion::intsFromAttrOrInput(StringRef name, unsigned i) {
  if (std::optional<SmallVector<int64_t>> values = intsAttr(name))
    return values;
  if (!input(i))
    return std::optional<SmallVector<int64_t>>();
  FailureOr<SmallVector<int64_t>> values = constantInts(i, name);
  if (failed(values))
    return failure();
  return std::optional(*values);
}

FailureOr<int64_t> NodeConversion::normalizeAxis(int64_t axis, int64_t rank,
                                                 bool inclusive) {
  if (axis < -rank || axis >= rank + inclusive)
    return error() << "axis " << axis << " is outside [" << -rank << ", "
                   << rank - 1 + inclusive << "] of a tensor of rank " << rank;
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>>
NodeConversion::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> normalized;
  for (int64_t axis : axes) {
    FailureOr<int64_t> one = normalizeAxis(axis, rank);
    if (failed(one))
      return failure();
    if (llvm::is_contained(normalized, *one))
      return error() << "axis " << *one << " is given twice";
    normalized.push_back(*one);
  }
  llvm::sort(normalized);
  return normalized;
}

FailureOr<SmallVector<int64_t>>
NodeConversion::broadcastShape(ArrayRef<Value> values) {
  SmallVector<int64_t> shape;
  for (Value value : values) {
    auto joined = broadcastShapes(shape, shapeOf(value));
    if (!joined)
      return error() << "shapes " << shapeText(shape) << " and "
                     << shapeText(shapeOf(value)) << " do not broadcast";
    shape = *joined;
  }
  return shape;
}

FailureOr<SmallVector<Value>> NodeConversion::binaryOperands() {
  if (failed(expectInputs(2, 2)))
    return failure();
  SmallVector<Value> operands(inputs);
  if (opset() >= 7)
    return operands;
  ArrayRef<int64_t> x = shapeOf(operands[0]), y = shapeOf(operands[1]);
  if (!intAttr("broadcast", 0)) {
    if (x != y)
      return error() << "shapes " << shapeText(x) << " and " << shapeText(y)
                     << " differ, and there is no broadcast = 1";
    return operands;
  }
  int64_t difference = int64_t(x.size()) - int64_t(y.size());
  FailureOr<int64_t> axis = intAttr("axis", difference);
  if (*axis != int64_t(x.size()))
    axis = normalizeAxis(*axis, x.size());
  if (failed(axis))
    return failure();
  if (*axis > difference)
    return error() << "shape " << shapeText(y) << " does not fit shape "
                   << shapeText(x) << " from axis " << *axis << " on";
  SmallVector<int64_t> shape(y);
  shape.append(difference - *axis, 1);
  operands[1] = reshape(operands[1], shape);
  return operands;
}

LogicalResult NodeConversion::pushElementwise(ArrayRef<Value> operands,
                                              Type element, Body body) {
  FailureOr<SmallVector<int64_t>> shape = broadcastShape(operands);
  if (failed(shape))
    return failure();
  return push(elementwise(operands, *shape, element, body));
}
