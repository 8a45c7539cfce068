//===- Nn.cpp - The nn dialect --------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Nn.h"
#include "dialects/nn/ElementTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mkc::nn;

#include "dialects/nn/NnDialect.cpp.inc"
#include "dialects/nn/NnEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NnAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/nn/NnOps.cpp.inc"

void NnDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/nn/NnAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/nn/NnOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Rules shared by nn.contract, nn.pool and nn.arg_pool; the numbers are those
// of nn.contract.
//===----------------------------------------------------------------------===//

template <typename T> static std::string toText(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// True if `expr` is a sum of constants and of dims times constants of 0 or
/// more.
static bool isSumOfScaledDims(AffineExpr expr) {
  if (isa<AffineConstantExpr, AffineDimExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return isSumOfScaledDims(binary.getLHS()) &&
           isSumOfScaledDims(binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul)
    return false;
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return factor && factor.getValue() >= 0 &&
         isa<AffineDimExpr>(binary.getLHS());
}

static LogicalResult verifyDomain(Operation *op, ArrayRef<int64_t> extents,
                                  ArrayRef<AffineMap> maps,
                                  ArrayRef<RankedTensorType> types) {
  if (maps.size() != types.size())
    return op->emitOpError("(C1) needs ")
           << types.size() << " maps, but has " << maps.size();
  for (auto [index, map] : llvm::enumerate(maps)) {
    if (map.getNumDims() != extents.size() || map.getNumSymbols() != 0)
      return op->emitOpError("(C1) map ")
             << index << " has " << map.getNumDims() << " dims, but there are "
             << extents.size() << " extents";
    if (int64_t(map.getNumResults()) != types[index].getRank())
      return op->emitOpError("(C1) map ")
             << index << " has " << map.getNumResults()
             << " results for a tensor of rank " << types[index].getRank();
  }
  AffineMap resultMap = maps.back();
  if (!resultMap.isProjectedPermutation())
    return op->emitOpError("(C2) result map ")
           << toText(resultMap) << " is not a projected permutation";
  for (AffineExpr expr : maps.front().getResults())
    if (!isSumOfScaledDims(expr))
      return op->emitOpError("(C3) x index ")
             << toText(expr)
             << " is not a sum of dims times constants of 0 or more";
  for (int64_t extent : extents)
    if (extent < 0)
      return op->emitOpError("(C5) negative extent ") << extent;
  for (unsigned i = 0; i < resultMap.getNumResults(); ++i) {
    int64_t extent = extents[resultMap.getDimPosition(i)];
    if (types.back().getDimSize(i) != extent)
      return op->emitOpError("(C5) result dim ")
             << i << " is " << types.back().getDimSize(i)
             << ", but its extent is " << extent;
  }
  return success();
}

static bool isResultDim(AffineMap resultMap, unsigned d) {
  return resultMap.isFunctionOfDim(d);
}

static SmallVector<AffineMap> mapsOf(ArrayAttr maps) {
  return llvm::map_to_vector(maps, [](Attribute attr) {
    return cast<AffineMapAttr>(attr).getValue();
  });
}

static AffineMap mapAt(ArrayAttr maps, unsigned i) {
  return cast<AffineMapAttr>(maps[i]).getValue();
}

//===----------------------------------------------------------------------===//
// nn.contract
//===----------------------------------------------------------------------===//

AffineMap ContractOp::getXMap() { return mapAt(getMaps(), 0); }
AffineMap ContractOp::getWMap() { return mapAt(getMaps(), 1); }
AffineMap ContractOp::getResultMap() { return mapAt(getMaps(), 2); }
bool ContractOp::isParallel(unsigned d) {
  return isResultDim(getResultMap(), d);
}

/// (C4): the largest value of a w index must fit w's dim.
static bool isPackedDim(AffineExpr expr, ArrayRef<int64_t> extents,
                        int64_t dimSize) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return extents[dim.getPosition()] <= dimSize;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!dim || !factor || factor.getValue() <= 0)
    return false;
  int64_t extent = extents[dim.getPosition()];
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return llvm::divideCeil(extent, factor.getValue()) <= dimSize;
  return expr.getKind() == AffineExprKind::Mod &&
         std::min(extent, factor.getValue()) <= dimSize;
}

LogicalResult ContractOp::verify() {
  auto xType = cast<RankedTensorType>(getX().getType());
  auto wType = cast<RankedTensorType>(getW().getType());
  auto resultType = cast<RankedTensorType>(getResult().getType());
  if (failed(verifyDomain(*this, getExtents(), mapsOf(getMaps()),
                          {xType, wType, resultType})))
    return failure();
  for (auto [i, expr] : llvm::enumerate(getWMap().getResults()))
    if (!isPackedDim(expr, getExtents(), wType.getDimSize(i)))
      return emitOpError("(C4) w index ")
             << toText(expr) << " is not a dim, or leaves w's dim " << i
             << " of size " << wType.getDimSize(i);
  Type element = resultType.getElementType();
  if (computeType(xType.getElementType()) != element ||
      computeType(wType.getElementType()) != element)
    return emitOpError("(C6) element types differ: ")
           << xType.getElementType() << ", " << wType.getElementType() << ", "
           << element;
  if (!isa<FloatType>(element) && !element.isInteger(32) &&
      !element.isInteger(64))
    return emitOpError("(C6) has element type ") << element;
  return success();
}

//===----------------------------------------------------------------------===//
// nn.pool, nn.arg_pool
//===----------------------------------------------------------------------===//

AffineMap PoolOp::getXMap() { return mapAt(getMaps(), 0); }
AffineMap PoolOp::getResultMap() { return mapAt(getMaps(), 1); }
bool PoolOp::isParallel(unsigned d) { return isResultDim(getResultMap(), d); }

static LogicalResult verifyPool(Operation *op, ArrayRef<int64_t> extents,
                                ArrayAttr maps, RankedTensorType xType,
                                RankedTensorType resultType) {
  if (computeType(xType.getElementType()) != resultType.getElementType())
    return op->emitOpError("element types differ: ")
           << xType.getElementType() << ", " << resultType.getElementType();
  return verifyDomain(op, extents, mapsOf(maps), {xType, resultType});
}

LogicalResult PoolOp::verify() {
  return verifyPool(*this, getExtents(), getMaps(),
                    cast<RankedTensorType>(getX().getType()),
                    cast<RankedTensorType>(getResult().getType()));
}

AffineMap ArgPoolOp::getXMap() { return mapAt(getMaps(), 0); }
AffineMap ArgPoolOp::getResultMap() { return mapAt(getMaps(), 1); }
bool ArgPoolOp::isParallel(unsigned d) {
  return isResultDim(getResultMap(), d);
}

LogicalResult ArgPoolOp::verify() {
  auto xType = cast<RankedTensorType>(getX().getType());
  auto values = cast<RankedTensorType>(getValues().getType());
  if (int64_t(getIndexStrides().size()) != xType.getRank())
    return emitOpError("has ")
           << getIndexStrides().size() << " index strides for a tensor of rank "
           << xType.getRank();
  auto indices = RankedTensorType::get(values.getShape(),
                                       IntegerType::get(getContext(), 64));
  if (getIndices().getType() != indices)
    return emitOpError("indices are ")
           << getIndices().getType() << ", expected " << indices;
  return verifyPool(*this, getExtents(), getMaps(), xType, values);
}

//===----------------------------------------------------------------------===//
// nn.gather, nn.arg_reduce
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  auto data = cast<RankedTensorType>(getData().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= data.getRank())
    return emitOpError("axis ")
           << axis << " of a tensor of rank " << data.getRank();
  if (!indices.getElementType().isInteger(32) &&
      !indices.getElementType().isInteger(64))
    return emitOpError("indices must be i32 or i64, not ")
           << indices.getElementType();
  SmallVector<int64_t> shape(data.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, data.getShape().drop_front(axis + 1));
  auto expected = RankedTensorType::get(shape, data.getElementType());
  if (result != expected)
    return emitOpError("result is ") << result << ", expected " << expected;
  return success();
}

LogicalResult ArgReduceOp::verify() {
  auto x = cast<RankedTensorType>(getX().getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= x.getRank())
    return emitOpError("axis ")
           << axis << " of a tensor of rank " << x.getRank();
  if (x.getDimSize(axis) == 0)
    return emitOpError("reduces an empty dim ") << axis;
  SmallVector<int64_t> shape(x.getShape());
  shape.erase(shape.begin() + axis);
  auto expected =
      RankedTensorType::get(shape, IntegerType::get(getContext(), 64));
  if (getResult().getType() != expected)
    return emitOpError("result is ")
           << getResult().getType() << ", expected " << expected;
  return success();
}
