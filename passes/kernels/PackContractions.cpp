//===- PackContractions.cpp - Blocks of lanes for w -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/Passes.h"
#include "passes/kernels/WeightOnly.h"

#include "dialects/nn/ElementTypes.h"
#include "dialects/nn/Nn.h"
#include "dialects/nn/Structured.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

namespace mkc {
#define GEN_PASS_DEF_PACKCONTRACTIONSPASS
#include "passes/kernels/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {

constexpr int64_t kLanes = 16;
/// Lanes of a block where w vectors are reused by several points, and where
/// each is used once (a product with a vector): there, more independent sums
/// hide latency.
constexpr int64_t kBlockLanes = 2 * kLanes, kVectorBlockLanes = 8 * kLanes;
/// Points that use each w value, from which on packing at run time pays.
constexpr int64_t kMinReuse = 48;
/// f16 and bf16 are extended where they are used, or once before. For x that
/// pays when each value is used often and the arithmetic takes longer than
/// reading w; for w only when the arithmetic outweighs twice its bytes by far.
constexpr int64_t kMinXReuse = 64, kMinWReuseForX = 16, kMinWReuse = 128;

struct Packing {
  unsigned lane;    ///< Loop.
  unsigned laneDim; ///< Dim of w.
  int64_t block;
  int64_t reuse; ///< Points that use each value of w.
};

class Packer {
public:
  Packer(nn::ContractOp op, bool isWeightOnly)
      : op(op), isWeightOnly(isWeightOnly), nest(*nn::getStructured(op)),
        wType(cast<RankedTensorType>(op.getW().getType())), builder(op),
        loc(op.getLoc()) {}

  void run() {
    extendX();
    std::optional<Packing> packing = choose();
    if (!packing) {
      op.emitRemark("w stays as it is: ") << whyNot;
      return;
    }
    op.emitRemark("w is packed in blocks of ")
        << packing->block << " lanes along its dim " << packing->laneDim << ", "
        << (isWeightOnly ? "at compile time" : "in each run") << "; "
        << packing->reuse << " points use each of its values"
        << (isExtended(*packing) ? "; it is extended to f32"
            : isHalf(wType)      ? "; it is extended where it is used"
                                 : "");
    Value w = padLanes(op.getW(), *packing);
    w = splitLanes(w, *packing);
    w = transpose(w, *packing);
    rewrite(w, *packing);
  }

private:
  bool isIn(const nn::IndexMap &map, unsigned loop) {
    return llvm::any_of(map.exprs,
                        [&](AffineExpr e) { return e.isFunctionOfDim(loop); });
  }

  /// The lane loop indexes w and the result, not x; the innermost of the result
  /// if there are several.
  std::optional<Packing> choose() {
    if (!llvm::all_of(nest.inputMaps[1].exprs,
                      [](AffineExpr e) { return nn::asDim(e).has_value(); }))
      return refuse("it is packed already");
    for (AffineExpr expr : llvm::reverse(nest.resultMaps[0].exprs)) {
      unsigned loop = *nn::asDim(expr);
      if (isIn(nest.inputMaps[0], loop))
        continue;
      for (auto [dim, index] : llvm::enumerate(nest.inputMaps[1].exprs))
        if (nn::asDim(index) == loop)
          return sized(loop, dim);
    }
    return refuse("no dim of the result belongs to w alone");
  }

  std::nullopt_t refuse(const Twine &reason) {
    whyNot = reason.str();
    return std::nullopt;
  }

  std::optional<Packing> sized(unsigned lane, unsigned laneDim) {
    int64_t reuse = reuseOf(nest.inputMaps[1]);
    if (op.getResult().getType().getNumElements() == 0 ||
        wType.getNumElements() == 0)
      return refuse("there is nothing to do");
    bool contiguous = laneDim + 1 == wType.getRank();
    if (!isWeightOnly && contiguous && reuse < kMinReuse)
      return refuse("it is made in each run, its lanes are contiguous, and " +
                    Twine(reuse) +
                    " points use each of its values, fewer than " +
                    Twine(kMinReuse));
    int64_t most = reuse == 1 ? kVectorBlockLanes : kBlockLanes;
    int64_t lanes = llvm::alignTo(nest.extents[lane], kLanes);
    return Packing{lane, laneDim, std::min(lanes, most), reuse};
  }

  static bool isHalf(RankedTensorType type) {
    return nn::isHalf(type.getElementType());
  }
  /// Points that use each value of an operand.
  int64_t reuseOf(const nn::IndexMap &map) {
    int64_t reuse = 1;
    for (unsigned d = 0; d < nest.rank(); ++d)
      if (nest.parallel[d] && !isIn(map, d))
        reuse *= nest.extents[d];
    return reuse;
  }
  bool isExtended(const Packing &packing) {
    return isHalf(wType) && packing.reuse >= kMinWReuse;
  }

  /// Fusion makes the extension a part of what makes x.
  void extendX() {
    auto type = cast<RankedTensorType>(op.getX().getType());
    if (!isHalf(type) || type.getNumElements() == 0)
      return;
    int64_t xReuse = reuseOf(nest.inputMaps[0]),
            wReuse = reuseOf(nest.inputMaps[1]);
    bool isWorthIt = xReuse >= kMinXReuse && wReuse >= kMinWReuseForX;
    op.emitRemark("x is extended to f32 ")
        << (isWorthIt ? "before: " : "where it is used: ") << xReuse
        << " points use each of its values, and " << wReuse << " each of w's";
    if (!isWorthIt)
      return;
    SmallVector<unsigned> order =
        llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
    op.getXMutable().assign(
        reorder(op.getX(), order, nn::computeType(type.getElementType())));
  }

  Value padLanes(Value w, const Packing &packing) {
    int64_t extent = wType.getDimSize(packing.laneDim);
    int64_t missing = llvm::alignTo(extent, packing.block) - extent;
    if (missing == 0)
      return w;
    SmallVector<int64_t> shape(wType.getShape());
    shape[packing.laneDim] = missing;
    Type element = wType.getElementType();
    Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
    Value zeros =
        linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
    return tensor::ConcatOp::create(builder, loc, packing.laneDim,
                                    ValueRange{w, zeros});
  }

  Value splitLanes(Value w, const Packing &packing) {
    auto type = cast<RankedTensorType>(w.getType());
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0, at = 0; i < type.getRank(); ++i) {
      ReassociationIndices group{at++};
      if (i == packing.laneDim)
        group.push_back(at++);
      groups.push_back(group);
    }
    shape.insert(shape.begin() + packing.laneDim,
                 shape[packing.laneDim] / packing.block);
    shape[packing.laneDim + 1] = packing.block;
    return tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()), w,
        groups);
  }

  /// Dims of the split w in their new order: batch dims, block, reductions in
  /// loop order, lanes.
  SmallVector<unsigned> newOrder(const Packing &packing) {
    SmallVector<std::pair<unsigned, unsigned>> batch, reduced; // loop, dim
    for (auto [dim, expr] : llvm::enumerate(nest.inputMaps[1].exprs)) {
      if (dim == packing.laneDim)
        continue;
      unsigned loop = *nn::asDim(expr);
      unsigned splitDim = dim > packing.laneDim ? dim + 1 : dim;
      (nest.parallel[loop] ? batch : reduced).push_back({loop, splitDim});
    }
    llvm::sort(reduced);
    SmallVector<unsigned> order;
    for (auto [loop, dim] : batch)
      order.push_back(dim);
    order.push_back(packing.laneDim);
    for (auto [loop, dim] : reduced)
      order.push_back(dim);
    order.push_back(packing.laneDim + 1);
    return order;
  }

  Value transpose(Value w, const Packing &packing) {
    Type element = wType.getElementType();
    return reorder(w, newOrder(packing),
                   isExtended(packing) ? nn::computeType(element) : element);
  }

  /// The dims of `value` in a new order, its elements as they are or extended.
  Value reorder(Value value, ArrayRef<unsigned> order, Type element) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape;
    for (unsigned dim : order)
      shape.push_back(type.getDimSize(dim));
    Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
    AffineMap read = inversePermutation(
        AffineMap::getPermutationMap(order, op.getContext()));
    AffineMap write =
        AffineMap::getMultiDimIdentityMap(order.size(), op.getContext());
    SmallVector<utils::IteratorType> loops(order.size(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, empty.getType(), value, empty,
               ArrayRef<AffineMap>{read, write}, loops,
               [&](OpBuilder &b, Location l, ValueRange args) {
                 Value moved = args[0];
                 if (moved.getType() != element)
                   moved = arith::ExtFOp::create(b, l, element, moved);
                 linalg::YieldOp::create(b, l, moved);
               })
        .getResult(0);
  }

  void rewrite(Value w, const Packing &packing) {
    SmallVector<AffineExpr> exprs;
    AffineExpr lane = getAffineDimExpr(packing.lane, op.getContext());
    for (unsigned dim : newOrder(packing)) {
      if (dim == packing.laneDim)
        exprs.push_back(lane.floorDiv(packing.block));
      else if (dim == packing.laneDim + 1)
        exprs.push_back(lane % packing.block);
      else
        exprs.push_back(
            nest.inputMaps[1].exprs[dim > packing.laneDim ? dim - 1 : dim]);
    }
    AffineMap map = AffineMap::get(nest.rank(), 0, exprs, op.getContext());
    op.getWMutable().assign(w);
    op.setMapsAttr(
        builder.getAffineMapArrayAttr({op.getXMap(), map, op.getResultMap()}));
  }

  nn::ContractOp op;
  bool isWeightOnly;
  nn::Structured nest;
  RankedTensorType wType;
  OpBuilder builder;
  Location loc;
  std::string whyNot; ///< If `choose` has refused.
};

struct PackContractions
    : mkc::impl::PackContractionsPassBase<PackContractions> {
  void runOnOperation() override {
    WeightOnly weightOnly(getOperation());
    getOperation().walk([&](nn::ContractOp op) {
      Packer(op, weightOnly.contains(op.getW())).run();
    });
  }
};

} // namespace
