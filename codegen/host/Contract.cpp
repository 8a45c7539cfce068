//===- Contract.cpp - Matmul and convolution by register tiles ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One emitter for all contractions. Around the register tile of ContractPlan.h
// stand the parallel loops; inside it the whole reduction runs with the
// accumulators in registers: windows outside, plain reductions inside, the
// innermost unrolled. Values of x are scalars that are broadcast from memory
// (or vectors where x varies along the lanes), values of w are vectors.
//
// Zero padding costs nothing in the middle of an image: windows along loops
// outside the register tile are cut to the image by their loop bounds, and
// along the pixel loop the tiles at the border are generated one by one,
// without the taps that lie outside.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/OpEmitter.h"
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::host;

namespace {

/// Steps of the innermost reduction in one basic block. Longer blocks spill.
constexpr int64_t kUnroll = 4;
/// Border tiles that are generated one by one; beyond that, taps are checked.
constexpr int64_t kMaxBorderTiles = 8;
/// Windows that are unrolled because nothing runs inside them.
constexpr int64_t kMaxUnrolledTaps = 16;

/// Which points of a register tile exist, and how they meet the border.
struct Tile {
  int64_t pixels;
  int64_t vectors;
  Value lastMask;               ///< Of the last vector; null for all lanes.
  std::optional<int64_t> first; ///< Static pixel index of a border tile.
  bool checked = false;         ///< Each tap is compared with the border.
};

class ContractEmitter {
public:
  ContractEmitter(KernelBuilder &kb, const TileOp &op, nn::ContractOp contract)
      : kb(kb), op(op), contract(contract), plan(*op.plan),
        xShape(cast<RankedTensorType>(contract.getX().getType()).getShape()),
        point(op.nest.rank(), 0) {
    unsigned rank = op.nest.rank();
    x = kb.linearize(op.inputs[0], op.nest.inputMaps[0], rank);
    w = kb.linearize(op.inputs[1], op.nest.inputMaps[1], rank);
    result = kb.linearize(op.results[0], op.nest.resultMaps[0], rank);
    linearizePacked();
  }

  LogicalResult emit() {
    if (op.epilogue)
      linearizeEpilogue();
    forEachPoint(kb, op.ranges, plan.outer, point, [&] { laneBlocks(); });
    return success();
  }

private:
  //--- Loops around the register tile ---------------------------------------//

  /// A packed w steps by whole blocks, and by vectors inside one.
  void linearizePacked() {
    packed = packedBlock(contract, plan.lane);
    if (!packed)
      return;
    for (auto [expr, stride] :
         llvm::zip(op.nest.inputMaps[1].exprs, op.inputs[1].strides)) {
      if (expr.getKind() == AffineExprKind::FloorDiv)
        blockStride = stride;
      else if (expr.getKind() == AffineExprKind::Mod)
        w.strides[plan.lane] = stride;
    }
  }

  void laneBlocks() {
    int64_t lanes = plan.lanesPerTile();
    int64_t extent = op.nest.extents[plan.lane];
    const LoopRange &range = op.ranges[plan.lane];
    Index end = kb.add(range.begin, range.size);
    Index firstBlock = kb.floorDiv(range.begin, lanes);
    Index endBlock = kb.floorDiv(end, lanes);
    kb.loop(firstBlock, endBlock, 1,
            [&](Index block) { laneBlock(block, plan.vectors, Value()); });
    int64_t rest = extent % lanes;
    if (rest == 0)
      return;
    // Only the last tile of the loop holds the rest.
    ifEqual(end, extent, [&] {
      int64_t vectors = llvm::divideCeil(rest, kb.lanes);
      Value mask = rest % kb.lanes ? kb.laneMask(rest % kb.lanes) : Value();
      laneBlock(Index(extent / lanes), vectors, mask);
    });
  }

  /// Offset of the vectors at `lane` in w.
  Index laneOffset(Index lane) {
    int64_t stride = w.strides[plan.lane];
    if (!packed)
      return kb.mul(lane, stride);
    return kb.add(kb.mul(kb.floorDiv(lane, *packed), blockStride),
                  kb.mul(kb.mod(lane, *packed), stride));
  }

  void laneBlock(Index block, int64_t vectors, Value lastMask) {
    point[plan.lane] = kb.mul(block, plan.lanesPerTile());
    wBase = laneOffset(point[plan.lane]);
    Tile tile{plan.pixels, vectors, lastMask, std::nullopt};
    if (!plan.pixel)
      return registerTile(tile);
    pixelTiles(tile);
  }

  void ifEqual(Index a, int64_t constant, function_ref<void()> body) {
    if (a.isConstant()) {
      if (a.constant == constant)
        body();
      return;
    }
    Value same = arith::CmpIOp::create(kb.b, kb.loc, arith::CmpIPredicate::eq,
                                       a.value, kb.materialize(constant));
    auto guard = scf::IfOp::create(kb.b, kb.loc, same);
    OpBuilder::InsertionGuard restore(kb.b);
    kb.b.setInsertionPointToStart(&guard.getThenRegion().front());
    body();
  }

  /// True if all taps of pixels [first, first + count) lie inside x.
  bool isInterior(int64_t first, int64_t count) const {
    for (auto [expr, size] : llvm::zip(op.nest.inputMaps[0].exprs, xShape)) {
      int64_t factor = nn::coefficientOf(expr, *plan.pixel);
      if (factor == 0)
        continue;
      int64_t low = nn::constantOf(expr) + factor * first;
      int64_t high = nn::constantOf(expr) + factor * (first + count - 1);
      for (unsigned d = 0; d < op.nest.rank(); ++d)
        if (d != *plan.pixel)
          high += nn::coefficientOf(expr, d) * (op.nest.extents[d] - 1);
      if (low < 0 || high >= size)
        return false;
    }
    return true;
  }

  void pixelTiles(Tile tile) {
    int64_t extent = op.nest.extents[*plan.pixel];
    const LoopRange &range = op.ranges[*plan.pixel];
    Index end = kb.add(range.begin, range.size);
    int64_t rest = extent % tile.pixels;
    bool bordered = plan.pixelIsWindowed && !isInterior(0, extent);
    if (bordered && range.begin.is(0) && end.is(extent) && borderTiles(tile))
      return;
    tile.checked = bordered;
    Index full = kb.mul(kb.floorDiv(end, tile.pixels), tile.pixels);
    kb.loop(range.begin, full, tile.pixels, [&](Index i) {
      point[*plan.pixel] = i;
      registerTile(tile);
    });
    if (rest == 0)
      return;
    ifEqual(end, extent, [&] {
      point[*plan.pixel] = extent - rest;
      Tile last = tile;
      last.pixels = rest;
      registerTile(last);
    });
  }

  /// The whole pixel loop: border tiles one by one, the others in a loop. False
  /// if there are too many border tiles.
  bool borderTiles(const Tile &tile) {
    int64_t extent = op.nest.extents[*plan.pixel];
    int64_t tiles = llvm::divideCeil(extent, tile.pixels);
    auto sizeAt = [&](int64_t t) {
      return std::min(tile.pixels, extent - t * tile.pixels);
    };
    auto interior = [&](int64_t t) {
      return sizeAt(t) == tile.pixels && isInterior(t * tile.pixels, sizeAt(t));
    };
    int64_t left = 0, right = tiles;
    while (left < tiles && !interior(left))
      ++left;
    while (right > left && !interior(right - 1))
      --right;
    if (left + (tiles - right) > kMaxBorderTiles)
      return false;
    auto border = [&](int64_t t) {
      point[*plan.pixel] = t * tile.pixels;
      Tile part = tile;
      part.pixels = sizeAt(t);
      part.first = t * tile.pixels;
      registerTile(part);
    };
    for (int64_t t = 0; t < left; ++t)
      border(t);
    kb.loop(left * tile.pixels, right * tile.pixels, tile.pixels, [&](Index i) {
      point[*plan.pixel] = i;
      registerTile(tile);
    });
    for (int64_t t = right; t < tiles; ++t)
      border(t);
    return true;
  }

  //--- The reduction
  //----------------------------------------------------------//

  using Accumulators = SmallVector<Value>;

  void registerTile(const Tile &tile) {
    Type element = op.results[0].elementType;
    Value zero = arith::ConstantOp::create(
        kb.b, kb.loc, kb.b.getZeroAttr(kb.vectorOf(element)));
    for (unsigned loop : plan.windows)
      point[loop] = 0;
    for (unsigned loop : plan.inner)
      point[loop] = 0;
    Accumulators acc(tile.pixels * tile.vectors, zero);
    acc = reduceWindows(tile, 0, acc);
    store(tile, acc);
  }

  bool sharesIndexWithPixel(unsigned loop) const {
    return plan.pixel &&
           llvm::any_of(op.nest.inputMaps[0].exprs, [&](AffineExpr expr) {
             return nn::coefficientOf(expr, loop) &&
                    nn::coefficientOf(expr, *plan.pixel);
           });
  }

  Accumulators reduceWindows(const Tile &tile, unsigned depth,
                             ValueRange carried) {
    if (depth == plan.windows.size())
      return reduceInner(tile, 0, carried);
    unsigned loop = plan.windows[depth];
    auto body = [&](Index i, ValueRange acc) {
      point[loop] = i;
      Accumulators next = reduceWindows(tile, depth + 1, acc);
      point[loop] = 0;
      return next;
    };
    LoopRange range = op.ranges[loop];
    bool withPixel = sharesIndexWithPixel(loop);
    if (!withPixel)
      range = clipWindow(kb, op.nest.inputMaps[0], xShape, loop, range, point);
    bool unroll = range.size.isConstant() &&
                  ((withPixel && tile.first) ||
                   (plan.inner.empty() && depth + 1 == plan.windows.size() &&
                    range.size.constant <= kMaxUnrolledTaps));
    if (!unroll)
      return kb.loop(range.begin, kb.add(range.begin, range.size), 1, carried,
                     body);
    Accumulators acc = llvm::to_vector(carried);
    for (int64_t i = 0; i < range.size.constant; ++i)
      acc = body(kb.add(range.begin, i), acc);
    return acc;
  }

  Accumulators reduceInner(const Tile &tile, unsigned depth,
                           ValueRange carried) {
    if (plan.inner.empty())
      return multiplyAdd(tile, carried);
    unsigned loop = plan.inner[depth];
    Index extent = op.nest.extents[loop];
    if (depth + 1 < plan.inner.size())
      return kb.loop(0, extent, 1, carried, [&](Index i, ValueRange acc) {
        point[loop] = i;
        return reduceInner(tile, depth + 1, acc);
      });
    auto steps = [&](Index begin, int64_t count, ValueRange acc) {
      Accumulators next = llvm::to_vector(acc);
      for (int64_t u = 0; u < count; ++u) {
        point[loop] = kb.add(begin, u);
        next = multiplyAdd(tile, next);
      }
      return next;
    };
    int64_t rest = extent.constant % kUnroll;
    Accumulators acc =
        kb.loop(0, extent.constant - rest, kUnroll, carried,
                [&](Index i, ValueRange a) { return steps(i, kUnroll, a); });
    return steps(extent.constant - rest, rest, acc);
  }

  //--- One step: acc[p][q] += x(p) * w(q)
  //-------------------------------------//

  /// True if pixel `first + p` has a tap inside x at the point's (static)
  /// windows.
  bool tapExists(const Tile &tile, int64_t p) const {
    for (auto [expr, size] : llvm::zip(op.nest.inputMaps[0].exprs, xShape)) {
      int64_t factor = nn::coefficientOf(expr, *plan.pixel);
      if (factor == 0)
        continue;
      int64_t at = nn::constantOf(expr) + factor * (*tile.first + p);
      for (unsigned loop : plan.windows)
        at += nn::coefficientOf(expr, loop) * point[loop].constant;
      if (at < 0 || at >= size)
        return false;
    }
    return true;
  }

  Value maskOf(const Tile &tile, int64_t q) const {
    return q + 1 == tile.vectors ? tile.lastMask : Value();
  }

  Value loadX(const Tile &tile, int64_t p, int64_t q) {
    SmallVector<Index> at(point);
    if (plan.pixel)
      at[*plan.pixel] = kb.add(at[*plan.pixel], p);
    at[plan.lane] = kb.add(at[plan.lane], q * kb.lanes);
    int64_t stride = x.strides[plan.lane];
    if (!tile.checked)
      return kb.loadExtended(x.memory, kb.offsetAt(x, at), stride,
                             stride ? maskOf(tile, q) : Value());
    return loadChecked(at, stride, stride ? maskOf(tile, q) : Value());
  }

  /// Zero where an index of the pixel loop is outside x.
  Value loadChecked(ArrayRef<Index> at, int64_t stride, Value mask) {
    Value inside;
    for (auto [expr, size] : llvm::zip(op.nest.inputMaps[0].exprs, xShape)) {
      if (nn::coefficientOf(expr, *plan.pixel) == 0)
        continue;
      Index index = nn::constantOf(expr);
      for (unsigned d = 0; d < op.nest.rank(); ++d)
        index = kb.add(index, kb.mul(at[d], nn::coefficientOf(expr, d)));
      Value ok =
          arith::CmpIOp::create(kb.b, kb.loc, arith::CmpIPredicate::ult,
                                kb.materialize(index), kb.materialize(size));
      inside = inside ? arith::AndIOp::create(kb.b, kb.loc, inside, ok) : ok;
    }
    auto branch = scf::IfOp::create(
        kb.b, kb.loc, kb.vectorOf(op.results[0].elementType), inside, true);
    OpBuilder::InsertionGuard restore(kb.b);
    kb.b.setInsertionPointToStart(&branch.getThenRegion().front());
    Value loaded = kb.loadExtended(x.memory, kb.offsetAt(x, at), stride, mask);
    scf::YieldOp::create(kb.b, kb.loc, loaded);
    kb.b.setInsertionPointToStart(&branch.getElseRegion().front());
    Value zero = arith::ConstantOp::create(kb.b, kb.loc,
                                           kb.b.getZeroAttr(loaded.getType()));
    scf::YieldOp::create(kb.b, kb.loc, zero);
    return branch.getResult(0);
  }

  Value loadW(const Tile &tile, int64_t q) {
    SmallVector<Index> at(point);
    at[plan.lane] = 0;
    Index offset = kb.add(kb.add(kb.offsetAt(w, at), wBase),
                          q * kb.lanes * w.strides[plan.lane]);
    // A packed w is padded to whole vectors.
    return kb.loadExtended(w.memory, offset, w.strides[plan.lane],
                           packed ? Value() : maskOf(tile, q));
  }

  Value fma(Value a, Value c, Value acc) {
    if (isa<FloatType>(op.results[0].elementType))
      return vector::FMAOp::create(kb.b, kb.loc, a, c, acc);
    Value product = arith::MulIOp::create(kb.b, kb.loc, a, c);
    return arith::AddIOp::create(kb.b, kb.loc, product, acc);
  }

  Accumulators multiplyAdd(const Tile &tile, ValueRange carried) {
    Accumulators acc = llvm::to_vector(carried);
    SmallVector<Value> weights;
    for (int64_t q = 0; q < tile.vectors; ++q)
      weights.push_back(loadW(tile, q));
    bool xVaries = x.strides[plan.lane] != 0;
    for (int64_t p = 0; p < tile.pixels; ++p) {
      if (tile.first && !tapExists(tile, p))
        continue;
      Value value;
      for (int64_t q = 0; q < tile.vectors; ++q) {
        if (q == 0 || xVaries)
          value = loadX(tile, p, q);
        Value &a = acc[p * tile.vectors + q];
        a = fma(value, weights[q], a);
      }
    }
    return acc;
  }

  //--- The end of a tile
  //------------------------------------------------------//

  void store(const Tile &tile, ArrayRef<Value> acc) {
    for (int64_t p = 0; p < tile.pixels; ++p)
      for (int64_t q = 0; q < tile.vectors; ++q) {
        SmallVector<Index> at(point);
        if (plan.pixel)
          at[*plan.pixel] = kb.add(at[*plan.pixel], p);
        at[plan.lane] = kb.add(at[plan.lane], q * kb.lanes);
        Value value = acc[p * tile.vectors + q];
        if (op.epilogue)
          storeThroughEpilogue(value, at, maskOf(tile, q));
        else
          kb.storeVector(value, result.memory, kb.offsetAt(result, at),
                         result.strides[plan.lane], maskOf(tile, q));
      }
  }

  void linearizeEpilogue() {
    const TileOp &next = *op.epilogue;
    unsigned rank = next.nest.rank();
    for (auto [i, memory] : llvm::enumerate(next.inputs)) {
      if (i == op.epilogueInput) {
        epilogueInputs.push_back({});
        continue;
      }
      LinearAccess access = kb.linearize(memory, next.nest.inputMaps[i], rank);
      epilogueInputs.push_back({access, loadIfFixed(kb, access)});
    }
  }

  /// Applies the elementwise op to a vector of results and stores its results.
  void storeThroughEpilogue(Value value, ArrayRef<Index> at, Value mask) {
    const TileOp &next = *op.epilogue;
    unsigned rank = next.nest.rank();
    SmallVector<Index> nextPoint(rank, 0);
    unsigned lane = 0;
    for (auto [from, to] :
         llvm::zip(op.nest.resultMaps[0].exprs,
                   next.nest.inputMaps[op.epilogueInput].exprs)) {
      unsigned loop = *nn::asDim(from), nextLoop = *nn::asDim(to);
      nextPoint[nextLoop] = at[loop];
      if (loop == plan.lane)
        lane = nextLoop;
    }
    SmallVector<Value> arguments;
    for (auto [i, input] : llvm::enumerate(epilogueInputs)) {
      const LinearAccess &access = input.access;
      if (i == op.epilogueInput)
        arguments.push_back(value);
      else if (input.fixed)
        arguments.push_back(input.fixed);
      else
        arguments.push_back(kb.loadVector(access.memory,
                                          kb.offsetAt(access, nextPoint),
                                          access.strides[lane], mask));
    }
    SmallVector<Value> values = evaluateBody(
        kb, cast<linalg::GenericOp>(next.nest.op), arguments, nextPoint, lane);
    for (auto [i, memory] : llvm::enumerate(next.results)) {
      LinearAccess access = kb.linearize(memory, next.nest.resultMaps[i], rank);
      kb.storeVector(values[i], memory, kb.offsetAt(access, nextPoint),
                     access.strides[lane], mask);
    }
  }

  KernelBuilder &kb;
  const TileOp &op;
  nn::ContractOp contract;
  const ContractPlan &plan;
  ArrayRef<int64_t> xShape;
  LinearAccess x, w, result;
  /// What the epilogue reads beside the result of the contraction.
  struct EpilogueInput {
    LinearAccess access;
    Value fixed; ///< Its value if no loop moves it.
  };
  SmallVector<EpilogueInput> epilogueInputs;
  std::optional<int64_t> packed;
  int64_t blockStride = 0;
  Index wBase; ///< Offset of the lane block in w.
  SmallVector<Index> point;
};

} // namespace

/// A sum of products with a scalar result: no loop to run vectors along but the
/// reduction itself. Lanes that a mask leaves out add zero.
static void emitDot(KernelBuilder &kb, const TileOp &op) {
  unsigned rank = op.nest.rank();
  LinearAccess x = kb.linearize(op.inputs[0], op.nest.inputMaps[0], rank);
  LinearAccess w = kb.linearize(op.inputs[1], op.nest.inputMaps[1], rank);
  LinearAccess result =
      kb.linearize(op.results[0], op.nest.resultMaps[0], rank);
  SmallVector<unsigned> loops = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  unsigned lane = chooseLaneLoop(kb.lanes, {x, w}, {}, op.nest.extents, loops);
  loops.erase(loops.begin() + lane);
  Type element = op.results[0].elementType;
  Value zero =
      arith::ConstantOp::create(kb.b, kb.loc, kb.b.getZeroAttr(element));
  SmallVector<Index> point(rank, 0);
  kb.storeScalar(zero, result.memory, kb.offsetAt(result, point));
  forEachPoint(kb, op.ranges, loops, point, [&] {
    forEachVector(kb, op.ranges[lane], [&](Index i, Value mask) {
      point[lane] = i;
      auto load = [&](const LinearAccess &access) {
        return kb.loadExtended(access.memory, kb.offsetAt(access, point),
                               access.strides[lane], mask);
      };
      bool isFloat = isa<FloatType>(element);
      Value product =
          isFloat
              ? Value(arith::MulFOp::create(kb.b, kb.loc, load(x), load(w)))
              : Value(arith::MulIOp::create(kb.b, kb.loc, load(x), load(w)));
      Index at = kb.offsetAt(result, SmallVector<Index>(rank, 0));
      Value sum = vector::ReductionOp::create(
          kb.b, kb.loc, vector::CombiningKind::ADD, product,
          kb.loadScalar(result.memory, at));
      kb.storeScalar(sum, result.memory, at);
    });
  });
}

LogicalResult mkc::host::emitContract(KernelBuilder &kb, const TileOp &op) {
  if (!llvm::is_contained(op.nest.parallel, true)) {
    emitDot(kb, op);
    return success();
  }
  return ContractEmitter(kb, op, cast<nn::ContractOp>(op.nest.op)).emit();
}
