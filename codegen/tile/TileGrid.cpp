//===- TileGrid.cpp - A kernel's ops and the tiles that they run by -------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/TileGrid.h"
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::codegen;

int64_t TileGrid::tilesOf(unsigned c) const {
  return std::max<int64_t>(llvm::divideCeil(classes.extents[c], tile[c]), 1);
}

int64_t TileGrid::tileCount() const {
  int64_t count = 1;
  for (unsigned c = 0; c < tile.size(); ++c)
    count *= tilesOf(c);
  return count;
}

SmallVector<LoopRange> TileGrid::rangesOf(LoopBuilder &lb, Index number) const {
  SmallVector<LoopRange> ranges(tile.size());
  int64_t inner = 1;
  for (unsigned c = tile.size(); c-- > 0;) {
    int64_t tiles = tilesOf(c), extent = classes.extents[c];
    Index coordinate = lb.floorDiv(number, inner);
    coordinate = c == 0 ? coordinate : lb.mod(coordinate, tiles);
    if (tiles == 1)
      coordinate = 0;
    Index begin = lb.mul(coordinate, tile[c]);
    Index size = tile[c];
    if (extent == 0 || extent % tile[c] != 0)
      size = lb.min(size, lb.sub(extent, begin));
    ranges[c] = {begin, size};
    inner *= tiles;
  }
  return ranges;
}

LogicalResult mkc::codegen::findOps(mk::KernelOp kernel, TileGrid &grid) {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<arith::ConstantOp, tensor::EmptyOp>(op))
      continue;
    auto structured = nn::getStructured(&op);
    if (!structured)
      return op.emitOpError("is not a structured op");
    // A fill that only starts a reduction is part of it.
    bool startsReduction =
        isa<linalg::FillOp>(op) &&
        llvm::all_of(op.getUsers(), [&](Operation *user) {
          auto generic = dyn_cast<linalg::GenericOp>(user);
          return generic && generic.getDpsInits()[0] == op.getResult(0);
        });
    if (!startsReduction)
      grid.ops.push_back(*structured);
  }
  if (grid.ops.empty())
    return kernel.emitOpError("has no structured op");
  grid.classes = nn::findLoopClasses(grid.ops);
  return success();
}

int64_t mkc::codegen::workPerPoint(const nn::Structured &op) {
  if (isa<nn::ContractOp>(op.op))
    return 2;
  auto generic = dyn_cast<linalg::GenericOp>(op.op);
  if (!generic)
    return 4;
  int64_t work = 4;
  for (Operation &inner : generic.getBody()->without_terminator())
    work += isa<math::MathDialect>(inner.getDialect()) &&
                    !isa<math::AbsFOp, math::SqrtOp>(inner)
                ? 20
                : 1;
  return work;
}

SmallVector<int64_t> mkc::codegen::stridesOf(mk::KernelOp kernel, Value value,
                                             const OperandStrides &strides) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return strides[argument.getArgNumber()];
  unsigned inputs = kernel.getNumArguments();
  for (auto [i, yielded] : llvm::enumerate(kernel.getYield().getValues()))
    if (yielded == value)
      return strides[inputs + i];
  return computeSuffixProduct(
      cast<RankedTensorType>(value.getType()).getShape());
}

SmallVector<RankedTensorType> mkc::codegen::operandTypes(mk::KernelOp kernel) {
  SmallVector<RankedTensorType> types;
  for (Type type : kernel.getFunctionType().getInputs())
    types.push_back(cast<RankedTensorType>(type));
  for (Type type : kernel.getFunctionType().getResults())
    types.push_back(cast<RankedTensorType>(type));
  return types;
}

MemRefType mkc::codegen::flatType(RankedTensorType type,
                                  ArrayRef<int64_t> strides) {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(type.getShape(), strides))
    last += std::max<int64_t>(size - 1, 0) * stride;
  int64_t count = type.getNumElements() == 0 ? 0 : last + 1;
  return MemRefType::get({count}, storageType(type.getElementType()));
}
