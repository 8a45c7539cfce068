//===- NnBuilder.cpp - Emits level-2 ops and folds them -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Build/NnBuilder.h"
#include "dialects/nn/ElementTypes.h"
#include "dialects/nn/Nn.h"
#include "passes/graph/Build/Reshape.h"
#include "passes/graph/Interpreter/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mkc;

/// Iteration points beyond which a constant op is left to compiled code.
static constexpr int64_t kFoldPoints = int64_t(1) << 24;

//===----------------------------------------------------------------------===//
// Questions about values
//===----------------------------------------------------------------------===//

RankedTensorType mkc::tensorTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}
ArrayRef<int64_t> mkc::shapeOf(Value value) {
  return tensorTypeOf(value).getShape();
}
Type mkc::elementOf(Value value) {
  return tensorTypeOf(value).getElementType();
}
bool mkc::isFloat(Value value) { return isa<FloatType>(elementOf(value)); }

DenseElementsAttr mkc::constantOf(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  return constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
}

TypedAttr mkc::splatOf(Value value) {
  if (DenseElementsAttr elements = constantOf(value))
    return elements.isSplat() ? elements.getSplatValue<TypedAttr>()
                              : TypedAttr();
  auto fill = value.getDefiningOp<linalg::FillOp>();
  TypedAttr scalar;
  if (fill && matchPattern(fill.getInputs()[0], m_Constant(&scalar)))
    return scalar;
  return {};
}

std::optional<SmallVector<int64_t>> mkc::broadcastShapes(ArrayRef<int64_t> a,
                                                         ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &size = shape[a.size() - b.size() + i];
    if (size != b[i] && size != 1 && b[i] != 1)
      return std::nullopt;
    if (size == 1)
      size = b[i];
  }
  return shape;
}

void mkc::eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===----------------------------------------------------------------------===//
// Constants and folding
//===----------------------------------------------------------------------===//

Value NnBuilder::constant(DenseElementsAttr elements) {
  return arith::ConstantOp::create(builder, loc, elements);
}

Value NnBuilder::splat(Shape shape, TypedAttr element) {
  auto type = RankedTensorType::get(shape, element.getType());
  if (Value empty = emptyResult(type))
    return empty;
  if (tensorBytes(type) <= kInlineConstantBytes)
    return constant(DenseElementsAttr::get(type, Attribute(element)));
  Value scalar = arith::ConstantOp::create(builder, loc, element);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, element.getType());
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Value NnBuilder::vectorOf(ArrayRef<int64_t> values) {
  return constant(DenseElementsAttr::get(
      RankedTensorType::get({int64_t(values.size())}, builder.getI64Type()),
      values));
}

Value NnBuilder::emptyResult(RankedTensorType type) {
  int64_t count = countElements(type.getShape());
  if (count > kMostElements) {
    if (!tooLarge)
      tooLarge = type;
    return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                   type.getElementType());
  }
  if (count != 0)
    return {};
  return constant(TensorValue(type).toElements());
}

/// Puts the value of `operand` into `env` if it is constant: an
/// `arith.constant`, or the uninitialised or filled `outs` of a generic.
static bool bindConstant(Value operand, Environment &env) {
  Operation *op = operand.getDefiningOp();
  if (!op || !isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(op))
    return false;
  for (Value nested : op->getOperands())
    if (!bindConstant(nested, env))
      return false;
  std::string error;
  return succeeded(evaluateOp(op, env, error));
}

SmallVector<Value> NnBuilder::finishAll(Operation *op) {
  SmallVector<Value> results(op->getResults()), folded;
  for (Value result : results)
    if (Value empty = emptyResult(tensorTypeOf(result)))
      folded.push_back(empty);
  if (!folded.empty())
    return folded;
  auto isLarge = [](Value value) {
    return tensorBytes(tensorTypeOf(value)) > kInlineConstantBytes;
  };
  if (llvm::any_of(results, isLarge) || countPoints(op) > kFoldPoints)
    return results;
  // Binding constants costs time in their size: look for a non-constant operand
  // first.
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def || !isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(def))
      return results;
    if (isLarge(operand))
      return results;
  }
  Environment env;
  std::string error;
  for (Value operand : op->getOperands())
    if (!bindConstant(operand, env))
      return results;
  // An index out of range stays an op and is reported when it runs.
  if (failed(evaluateOp(op, env, error)))
    return results;
  for (Value result : results)
    folded.push_back(constant(env.lookup(result).toElements()));
  op->erase();
  return folded;
}

Value NnBuilder::finish(Operation *op) { return finishAll(op).front(); }

//===----------------------------------------------------------------------===//
// f16 and bf16
//===----------------------------------------------------------------------===//

/// The tensor of f16 or bf16 whose extension to f32 `x` is, or null.
static Value narrowSourceOf(Value x) {
  auto generic = x.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  auto extension = generic.getBody()
                       ->getTerminator()
                       ->getOperand(0)
                       .getDefiningOp<arith::ExtFOp>();
  Value source = generic.getInputs()[0];
  bool isWhole = extension &&
                 extension.getIn() == generic.getBody()->getArgument(0) &&
                 nn::isHalf(elementOf(source)) && elementOf(x).isF32();
  return isWhole ? source : Value();
}

Value NnBuilder::widened(Value x) {
  Type element = nn::computeType(elementOf(x));
  if (element == elementOf(x))
    return x;
  if (auto value = dyn_cast_or_null<FloatAttr>(splatOf(x)))
    return splat(shapeOf(x),
                 builder.getFloatAttr(element, value.getValueAsDouble()));
  return elementwise(x, shapeOf(x), element,
                     [&](OpBuilder &b, Location at, ValueRange v) -> Value {
                       return arith::ExtFOp::create(b, at, element, v[0]);
                     });
}

static Value yieldFirst(OpBuilder &, Location, ValueRange elements) {
  return elements[0];
}

/// True if `op` yields its only input's elements.
static bool isMove(linalg::GenericOp op) {
  return op.getNumDpsInputs() == 1 && op.getNumReductionLoops() == 0 &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0);
}

Value NnBuilder::roundedBeforeMove(Value x, Type element) {
  Operation *op = x.getDefiningOp();
  SmallVector<int64_t> shape(shapeOf(x));
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    Value source = op->getOperand(0);
    op->erase();
    return reshape(rounded(source, element), shape);
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !isMove(generic))
    return {};
  Value source = generic.getInputs()[0];
  AffineMap map = generic.getIndexingMapsArray()[0];
  generic.erase();
  return this->generic(rounded(source, element), map, shape, element,
                       yieldFirst);
}

Value NnBuilder::rounded(Value x, Type element) {
  if (Value source = narrowSourceOf(x); source && elementOf(source) == element)
    return source;
  auto round = [&](OpBuilder &b, Location at, Value value) -> Value {
    return arith::TruncFOp::create(b, at, element, value);
  };
  bool isReplaceable = x.getDefiningOp() && x.use_empty();
  if (isReplaceable)
    if (Value moved = roundedBeforeMove(x, element))
      return moved;
  auto producer = x.getDefiningOp<linalg::GenericOp>();
  if (!producer || !isReplaceable || producer.getNumReductionLoops())
    return elementwise(x, shapeOf(x), element,
                       [&](OpBuilder &b, Location at, ValueRange v) {
                         return round(b, at, v[0]);
                       });
  SmallVector<AffineMap> maps = producer.getIndexingMapsArray();
  Value y = generic(
      llvm::to_vector(producer.getInputs()), ArrayRef(maps).drop_back(),
      shapeOf(x), element, [&](OpBuilder &b, Location at, ValueRange v) {
        Block *body = producer.getBody();
        IRMapping mapping;
        for (auto [argument, value] : llvm::zip(body->getArguments(), v))
          mapping.map(argument, value);
        for (Operation &op : body->without_terminator())
          b.clone(op, mapping);
        Value result = body->getTerminator()->getOperand(0);
        return round(b, at, mapping.lookupOrDefault(result));
      });
  producer.erase();
  return y;
}

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

namespace {
/// The operands of a generic after (F3), (F4) and (F6).
struct Operands {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  /// For each original operand its splat, or null if it is the next of
  /// `tensors`.
  SmallVector<TypedAttr> splats;
  /// The element type that the body takes, for each of `tensors`.
  SmallVector<Type> elements;

  Operands(ArrayRef<Value> values, ArrayRef<AffineMap> valueMaps) {
    for (auto [value, map] : llvm::zip_equal(values, valueMaps)) {
      splats.push_back(splatOf(value));
      if (splats.back())
        continue;
      Value tensor = value;
      AffineMap tensorMap = map;
      elements.push_back(elementOf(value));
      if (Value source = narrowSourceOf(value))
        tensor = source;
      readThroughUnitReshapes(tensor, tensorMap);
      tensors.push_back(tensor);
      maps.push_back(tensorMap);
    }
  }

  /// Calls `body` with the elements of the original operands, and `extra` ones
  /// after them.
  void emitBody(OpBuilder &b, Location loc, ValueRange arguments, size_t extra,
                NnBuilder::Body body) const {
    SmallVector<Value> values;
    size_t next = 0;
    for (TypedAttr splat : splats) {
      if (splat) {
        values.push_back(arith::ConstantOp::create(b, loc, splat));
        continue;
      }
      Value argument = arguments[next];
      Type element = elements[next++];
      values.push_back(
          argument.getType() == element
              ? argument
              : arith::ExtFOp::create(b, loc, element, argument).getResult());
    }
    llvm::append_range(values, arguments.slice(next, extra));
    linalg::YieldOp::create(b, loc, body(b, loc, values));
  }
};
} // namespace

Value NnBuilder::elementwise(ArrayRef<Value> operands, Shape shape,
                             Type element, Body body) {
  SmallVector<AffineMap> maps;
  for (Value operand : operands) {
    ArrayRef<int64_t> from = shapeOf(operand);
    SmallVector<AffineExpr> results;
    for (auto [i, size] : llvm::enumerate(from)) {
      unsigned d = shape.size() - from.size() + i;
      results.push_back(size == 1 && shape[d] != 1 ? number(0) : dim(d));
    }
    maps.push_back(map(shape.size(), results));
  }
  return generic(operands, maps, shape, element, body);
}

Value NnBuilder::generic(ArrayRef<Value> operands, ArrayRef<AffineMap> maps,
                         Shape shape, Type element, Body body) {
  if (Value empty = emptyResult(RankedTensorType::get(shape, element)))
    return empty;
  Operands read(operands, maps);
  Value init = tensor::EmptyOp::create(builder, loc, shape, element);
  SmallVector<AffineMap> allMaps(read.maps);
  allMaps.push_back(builder.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  return finish(linalg::GenericOp::create(
      builder, loc, init.getType(), read.tensors, init, allMaps, iterators,
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        read.emitBody(b, at, arguments, 0, body);
      }));
}

Value NnBuilder::reduce(ArrayRef<Value> operands, ArrayRef<int64_t> axes,
                        TypedAttr init, Body body) {
  ArrayRef<int64_t> from = shapeOf(operands[0]);
  // Dims of size 1 are no loops: they are dropped before.
  if (llvm::any_of(axes, [&](int64_t axis) { return from[axis] == 1; }))
    return reduceWithoutUnits(operands, axes, init, body);
  SmallVector<utils::IteratorType> iterators(from.size(),
                                             utils::IteratorType::parallel);
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> kept;
  for (int64_t axis : axes)
    iterators[axis] = utils::IteratorType::reduction;
  for (auto [d, size] : llvm::enumerate(from)) {
    if (iterators[d] == utils::IteratorType::reduction)
      continue;
    shape.push_back(size);
    kept.push_back(dim(d));
  }
  // A loop over nothing gives the initial value.
  if (tensorTypeOf(operands[0]).getNumElements() == 0)
    return splat(shape, init);
  if (axes.empty())
    return elementwise(operands, shape, init.getType(),
                       [&](OpBuilder &b, Location at, ValueRange elements) {
                         SmallVector<Value> all(elements);
                         all.push_back(arith::ConstantOp::create(b, at, init));
                         return body(b, at, all);
                       });
  // At least one operand has to give the loops their extents.
  SmallVector<AffineMap> maps(operands.size(),
                              builder.getMultiDimIdentityMap(from.size()));
  Operands read(operands, maps);
  if (read.tensors.empty()) {
    read.splats[0] = {};
    read.tensors.push_back(operands[0]);
    read.maps.push_back(maps[0]);
    read.elements.push_back(elementOf(operands[0]));
  }
  Value scalar = arith::ConstantOp::create(builder, loc, init);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, init.getType());
  Value filled =
      linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
  SmallVector<AffineMap> allMaps(read.maps);
  allMaps.push_back(map(from.size(), kept));
  return finish(linalg::GenericOp::create(
      builder, loc, filled.getType(), read.tensors, filled, allMaps, iterators,
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        read.emitBody(b, at, arguments, 1, body);
      }));
}

Value NnBuilder::reduceWithoutUnits(ArrayRef<Value> operands,
                                    ArrayRef<int64_t> axes, TypedAttr init,
                                    Body body) {
  SmallVector<int64_t> shape, remaining;
  for (auto [d, size] : llvm::enumerate(shapeOf(operands[0]))) {
    bool isReduced = llvm::is_contained(axes, int64_t(d));
    if (isReduced && size == 1)
      continue;
    if (isReduced)
      remaining.push_back(shape.size());
    shape.push_back(size);
  }
  SmallVector<Value> reshaped;
  for (Value operand : operands)
    reshaped.push_back(reshape(operand, shape));
  return reduce(reshaped, remaining, init, body);
}

Value NnBuilder::transpose(Value x, ArrayRef<int64_t> perm) {
  if (Value source = narrowSourceOf(x))
    return widened(transpose(source, perm));
  SmallVector<int64_t> shape, moved;
  SmallVector<AffineExpr> results(perm.size());
  for (auto [to, from] : llvm::enumerate(perm)) {
    shape.push_back(shapeOf(x)[from]);
    results[from] = dim(to);
    if (shape.back() != 1)
      moved.push_back(from);
  }
  // Dims of size 1 can be anywhere: the others' order decides.
  if (llvm::is_sorted(moved))
    return reshape(x, shape);
  if (TypedAttr element = splatOf(x))
    return splat(shape, element);
  return generic(x, map(perm.size(), results), shape, elementOf(x), yieldFirst);
}

Value NnBuilder::broadcast(Value x, Shape shape) {
  if (shapeOf(x) == shape)
    return x;
  if (Value source = narrowSourceOf(x))
    return widened(broadcast(source, shape));
  if (TypedAttr element = splatOf(x))
    return splat(shape, element);
  if (countElements(shapeOf(x)) == countElements(shape))
    return reshape(x, shape);
  return elementwise(x, shape, elementOf(x), yieldFirst);
}

//===----------------------------------------------------------------------===//
// Moving data
//===----------------------------------------------------------------------===//

Value NnBuilder::reshape(Value x, Shape shape) {
  auto type = RankedTensorType::get(shape, elementOf(x));
  if (Value empty = emptyResult(type))
    return empty;
  if (TypedAttr element = splatOf(x); element && x.getType() != type)
    return splat(shape, element);
  if (Value source = narrowSourceOf(x); source && x.getType() != type)
    return widened(reshape(source, shape));
  x = sourceOfReshapes(x, type);
  if (x.getType() == type)
    return x;
  ReshapeGroups groups(shapeOf(x), shape);
  if (groups.needsCollapse()) {
    auto collapsed =
        RankedTensorType::get(groups.collapsedShape(), elementOf(x));
    x = finish(tensor::CollapseShapeOp::create(builder, loc, collapsed, x,
                                               groups.from));
  }
  if (x.getType() != type)
    x = finish(tensor::ExpandShapeOp::create(builder, loc, type, x, groups.to));
  return x;
}

Value NnBuilder::slice(Value x, ArrayRef<int64_t> offsets,
                       ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  auto type = RankedTensorType::get(sizes, elementOf(x));
  if (Value empty = emptyResult(type))
    return empty;
  if (TypedAttr element = splatOf(x))
    return splat(sizes, element);
  if (Value source = narrowSourceOf(x))
    return widened(slice(source, offsets, sizes, steps));
  // First a slice of the dims that are read forwards; the others stay whole.
  // The step of a single element doesn't matter.
  SmallVector<int64_t> starts(offsets), lengths(sizes), strides(steps);
  SmallVector<AffineExpr> index;
  bool isForward = true;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (size == 1)
      strides[d] = 1;
    if (strides[d] > 0) {
      index.push_back(dim(d));
      continue;
    }
    isForward = false;
    index.push_back(dim(d) * steps[d] + offsets[d]);
    starts[d] = 0;
    lengths[d] = shapeOf(x)[d];
    strides[d] = 1;
  }
  if (ArrayRef<int64_t>(lengths) != shapeOf(x))
    x = finish(tensor::ExtractSliceOp::create(
        builder, loc, RankedTensorType::get(lengths, elementOf(x)), x,
        ValueRange(), ValueRange(), ValueRange(), starts, lengths, strides));
  if (isForward)
    return x;
  return generic(x, map(sizes.size(), index), sizes, elementOf(x), yieldFirst);
}

Value NnBuilder::concat(ArrayRef<Value> parts, int64_t axis) {
  SmallVector<int64_t> shape(shapeOf(parts[0]));
  shape[axis] = 0;
  SmallVector<Value> used;
  for (Value part : parts) {
    shape[axis] += shapeOf(part)[axis];
    if (tensorTypeOf(part).getNumElements() != 0)
      used.push_back(part);
  }
  auto type = RankedTensorType::get(shape, elementOf(parts[0]));
  if (Value empty = emptyResult(type))
    return empty;
  if (used.size() == 1)
    return used[0];
  return finish(tensor::ConcatOp::create(builder, loc, type, axis, used));
}

//===----------------------------------------------------------------------===//
// The nn dialect
//===----------------------------------------------------------------------===//

/// (F6)
static Value withNarrowElements(Value x) {
  Value source = narrowSourceOf(x);
  return source ? source : x;
}

static RankedTensorType resultTypeOf(ArrayRef<int64_t> extents, AffineMap map,
                                     Type element) {
  SmallVector<int64_t> shape;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    shape.push_back(extents[map.getDimPosition(i)]);
  return RankedTensorType::get(shape, element);
}

Value NnBuilder::contract(Value x, Value w, Shape extents, AffineMap xMap,
                          AffineMap wMap, AffineMap resultMap) {
  auto type = resultTypeOf(extents, resultMap, nn::computeType(elementOf(x)));
  if (Value empty = emptyResult(type))
    return empty;
  x = withNarrowElements(x);
  w = withNarrowElements(w);
  if (llvm::is_contained(extents, 0))
    return splat(type.getShape(), builder.getZeroAttr(type.getElementType()));
  return finish(nn::ContractOp::create(
      builder, loc, type, x, w, builder.getDenseI64ArrayAttr(extents),
      builder.getAffineMapArrayAttr({xMap, wMap, resultMap})));
}

Value NnBuilder::pool(Value x, nn::PoolKind kind, Shape extents, AffineMap xMap,
                      AffineMap resultMap) {
  auto type = resultTypeOf(extents, resultMap, nn::computeType(elementOf(x)));
  if (Value empty = emptyResult(type))
    return empty;
  x = withNarrowElements(x);
  return finish(nn::PoolOp::create(
      builder, loc, type, x, nn::PoolKindAttr::get(getContext(), kind),
      builder.getDenseI64ArrayAttr(extents),
      builder.getAffineMapArrayAttr({xMap, resultMap})));
}

std::pair<Value, Value> NnBuilder::argPool(Value x,
                                           ArrayRef<int64_t> indexStrides,
                                           Shape extents, AffineMap xMap,
                                           AffineMap resultMap) {
  auto values = resultTypeOf(extents, resultMap, nn::computeType(elementOf(x)));
  auto indices = resultTypeOf(extents, resultMap, builder.getI64Type());
  if (Value empty = emptyResult(values))
    return {empty, emptyResult(indices)};
  x = withNarrowElements(x);
  SmallVector<Value> results = finishAll(
      nn::ArgPoolOp::create(builder, loc, values, indices, x,
                            builder.getDenseI64ArrayAttr(indexStrides),
                            builder.getDenseI64ArrayAttr(extents),
                            builder.getAffineMapArrayAttr({xMap, resultMap})));
  return {results[0], results[1]};
}

Value NnBuilder::gather(Value data, Value indices, int64_t axis) {
  if (Value source = narrowSourceOf(data))
    return widened(gather(source, indices, axis));
  SmallVector<int64_t> shape(shapeOf(data).take_front(axis));
  llvm::append_range(shape, shapeOf(indices));
  llvm::append_range(shape, shapeOf(data).drop_front(axis + 1));
  auto type = RankedTensorType::get(shape, elementOf(data));
  if (Value empty = emptyResult(type))
    return empty;
  return finish(nn::GatherOp::create(builder, loc, type, data, indices,
                                     builder.getI64IntegerAttr(axis)));
}

Value NnBuilder::argReduce(Value x, int64_t axis, bool isMax, bool last) {
  SmallVector<int64_t> shape(shapeOf(x));
  shape.erase(shape.begin() + axis);
  auto type = RankedTensorType::get(shape, builder.getI64Type());
  if (Value empty = emptyResult(type))
    return empty;
  x = withNarrowElements(x);
  return finish(nn::ArgReduceOp::create(
      builder, loc, type, x, builder.getI64IntegerAttr(axis),
      builder.getBoolAttr(isMax), builder.getBoolAttr(last)));
}
