//===- Access.cpp - Access programs of a tiled kernel ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/Access.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::codegen;
using mkrt::format::AccessBuilder;
using mkrt::format::AccessEntry;
using mkrt::format::AccessMode;
using mkrt::format::kMaxBoxRank;

int64_t mkc::codegen::elementBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

namespace {

using Value16 = AccessBuilder::Value;

/// First and last value of an index, as registers and as bounds over all tiles.
struct Interval {
  Value16 first, last;
  int64_t least, most;
};

class AccessEmitter {
public:
  AccessEmitter(AccessPrograms &out, const TileGrid &grid)
      : b(out.builder), out(out), grid(grid) {
    computeClassRanges();
  }

  void operand(unsigned number, AccessMode mode, const nn::Structured &op,
               unsigned opNumber, const nn::IndexMap &map,
               RankedTensorType type, ArrayRef<int64_t> strides) {
    opLoops = &op;
    classOf = &grid.classes.classOf[opNumber];
    int64_t bytes = elementBytes(type.getElementType());
    SmallVector<Dim> dims;
    for (auto [expr, size, stride] :
         llvm::zip(map.exprs, type.getShape(), strides))
      dims.push_back(dimOf(expr, size, stride * bytes));
    out.entries.push_back(boxOf(number, mode, dims, bytes));
  }

private:
  struct Dim {
    Value16 begin, size;
    std::optional<int64_t> whole; ///< The size if it is all of the dim.
    int64_t stride;
  };

  /// Tile t is a point of the grid of classes, the last class fastest.
  void computeClassRanges() {
    int64_t inner = 1;
    ranges.resize(grid.tile.size());
    for (unsigned c = grid.tile.size(); c-- > 0;) {
      int64_t tiles = grid.tilesOf(c), extent = grid.classes.extents[c];
      Value16 coordinate =
          b.mod(b.floorDiv(b.tile(), b.constant(inner)), b.constant(tiles));
      Value16 first = b.mul(coordinate, b.constant(grid.tile[c]));
      Value16 end =
          b.min(b.add(first, b.constant(grid.tile[c])), b.constant(extent));
      ranges[c] = {first, b.add(end, b.constant(-1)), 0, extent - 1};
      inner *= tiles;
    }
  }

  Interval loopRange(unsigned d) {
    if (int c = (*classOf)[d]; c >= 0)
      return ranges[c];
    int64_t last = opLoops->extents[d] - 1;
    return {b.constant(0), b.constant(last), 0, last};
  }

  Interval scaled(Interval i, int64_t factor) {
    Value16 f = b.constant(factor);
    Interval r{b.mul(i.first, f), b.mul(i.last, f), i.least * factor,
               i.most * factor};
    if (factor < 0) {
      std::swap(r.first, r.last);
      std::swap(r.least, r.most);
    }
    return r;
  }

  /// Interval arithmetic on the index expressions of level 2.
  Interval evaluate(AffineExpr expr) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      int64_t v = constant.getValue();
      return {b.constant(v), b.constant(v), v, v};
    }
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return loopRange(dim.getPosition());
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Interval lhs = evaluate(binary.getLHS());
    if (expr.getKind() == AffineExprKind::Add) {
      Interval rhs = evaluate(binary.getRHS());
      return {b.add(lhs.first, rhs.first), b.add(lhs.last, rhs.last),
              lhs.least + rhs.least, lhs.most + rhs.most};
    }
    int64_t factor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    if (expr.getKind() == AffineExprKind::Mul)
      return scaled(lhs, factor);
    if (expr.getKind() == AffineExprKind::FloorDiv)
      return {b.floorDiv(lhs.first, b.constant(factor)),
              b.floorDiv(lhs.last, b.constant(factor)),
              llvm::divideFloorSigned(lhs.least, factor),
              llvm::divideFloorSigned(lhs.most, factor)};
    // A packed block is read as a whole, its padding included.
    return {b.constant(0), b.constant(factor - 1), 0, factor - 1};
  }

  Dim dimOf(AffineExpr expr, int64_t size, int64_t stride) {
    Dim whole{b.constant(0), b.constant(size), size, stride};
    if (!expr)
      return whole;
    Interval i = evaluate(expr);
    Value16 first = i.least < 0 ? b.max(i.first, b.constant(0)) : i.first;
    Value16 last =
        i.most >= size ? b.min(i.last, b.constant(size - 1)) : i.last;
    Value16 count =
        b.add(b.add(last, b.mul(first, b.constant(-1))), b.constant(1));
    Dim dim{first, count, std::nullopt, stride};
    if (b.code()[first].op == mkrt::format::AccessOp::Constant &&
        b.code()[first].imm == 0 &&
        b.code()[count].op == mkrt::format::AccessOp::Constant &&
        b.code()[count].imm == size)
      dim.whole = size;
    return dim;
  }

  /// Whole inner dims that lie densely become one run of bytes.
  AccessEntry boxOf(unsigned number, AccessMode mode, SmallVector<Dim> dims,
                    int64_t bytes) {
    Value16 offset = b.constant(0);
    for (const Dim &dim : dims)
      offset = b.add(offset, b.mul(dim.begin, b.constant(dim.stride)));
    int64_t run = bytes;
    while (!dims.empty() && dims.back().whole && *dims.back().whole > 0 &&
           (dims.back().stride == run || *dims.back().whole == 1)) {
      run *= *dims.back().whole;
      dims.pop_back();
    }
    Value16 inner = b.constant(run);
    if (!dims.empty() && dims.back().stride == run) {
      inner = b.mul(b.max(dims.back().size, b.constant(0)), inner);
      dims.pop_back();
    }
    if (dims.size() > kMaxBoxRank) {
      // The smallest range of bytes that covers the box.
      for (const Dim &dim : dims)
        inner = b.add(inner, b.mul(b.add(dim.size, b.constant(-1)),
                                   b.constant(dim.stride)));
      dims.clear();
    }
    SmallVector<AccessBuilder::Dim> boxDims;
    for (const Dim &dim : dims)
      boxDims.push_back({dim.size, b.constant(dim.stride)});
    return b.entry(number, mode, offset, {boxDims.data(), boxDims.size()},
                   inner);
  }

  AccessBuilder &b;
  AccessPrograms &out;
  const TileGrid &grid;
  SmallVector<Interval> ranges;
  const nn::Structured *opLoops = nullptr;
  const SmallVector<int> *classOf = nullptr;
};

} // namespace

AccessPrograms mkc::codegen::buildAccesses(mk::KernelOp kernel,
                                           const TileGrid &grid,
                                           const OperandStrides &strides) {
  AccessPrograms programs;
  AccessEmitter emitter(programs, grid);
  auto typeOf = [](Value v) { return cast<RankedTensorType>(v.getType()); };
  for (auto [n, op] : llvm::enumerate(grid.ops)) {
    for (auto [value, map] : llvm::zip(op.inputs, op.inputMaps))
      if (auto argument = dyn_cast<BlockArgument>(value))
        emitter.operand(argument.getArgNumber(), AccessMode::Read, op, n, map,
                        typeOf(value), strides[argument.getArgNumber()]);
    for (auto [value, map] : llvm::zip(op.results, op.resultMaps))
      for (auto [i, yielded] : llvm::enumerate(kernel.getYield().getValues())) {
        unsigned operand = kernel.getNumArguments() + i;
        if (yielded != value)
          continue;
        // Later ops of the tile may read what an earlier one wrote.
        AccessMode mode =
            value.hasOneUse() ? AccessMode::Write : AccessMode::ReadWrite;
        emitter.operand(operand, mode, op, n, map, typeOf(value),
                        strides[operand]);
      }
  }
  llvm::stable_sort(programs.entries,
                    [](const AccessEntry &a, const AccessEntry &c) {
                      return a.operand < c.operand;
                    });
  return programs;
}

void mkc::codegen::setAccesses(mk::VariantOp variant,
                               const AccessPrograms &programs) {
  Builder builder(variant.getContext());
  SmallVector<int64_t> code;
  for (const mkrt::format::AccessInstr &instr : programs.builder.code())
    llvm::append_values(code, int64_t(instr.op), int64_t(instr.a),
                        int64_t(instr.b), int64_t(instr.c), instr.imm);
  SmallVector<Attribute> entries;
  for (const mkrt::format::AccessEntry &entry : programs.entries) {
    SmallVector<int64_t> fields{entry.operand, int64_t(entry.mode), entry.rank,
                                entry.offset, entry.innerBytes};
    for (unsigned i = 0; i < entry.rank; ++i)
      llvm::append_values(fields, int64_t(entry.size[i]),
                          int64_t(entry.stride[i]));
    entries.push_back(builder.getDenseI64ArrayAttr(fields));
  }
  variant.setAccessCode(code);
  variant.setAccessesAttr(builder.getArrayAttr(entries));
}
