//===- SplitByTraffic.cpp - How many tiles each class of loops has --------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/SplitByTraffic.h"
#include "codegen/tile/Access.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mkc;
using namespace mkc::codegen;

namespace {
class Splitter {
public:
  Splitter(const TileGrid &grid, ArrayRef<int64_t> units)
      : grid(grid), units(units), parts(units.size(), 1) {}

  SmallVector<int64_t> run(int64_t wanted) {
    while (product() < wanted) {
      std::optional<unsigned> c = cheapest();
      if (!c)
        break;
      int64_t others = product() / parts[*c];
      parts[*c] = std::min({2 * parts[*c], units[*c],
                            int64_t(llvm::divideCeil(wanted, others))});
    }
    return parts;
  }

private:
  int64_t product() const {
    return std::accumulate(parts.begin(), parts.end(), int64_t(1),
                           std::multiplies<>());
  }

  std::optional<unsigned> cheapest() const {
    std::optional<unsigned> best;
    double least = 0;
    for (unsigned c = 0; c < units.size(); ++c) {
      if (parts[c] >= units[c])
        continue;
      double added = addedTraffic(c);
      if (!best || added < least) {
        best = c;
        least = added;
      }
    }
    return best;
  }

  /// Bytes that are read more often if class c has twice as many parts.
  double addedTraffic(unsigned c) const {
    double bytes = 0;
    for (auto [n, op] : llvm::enumerate(grid.ops))
      for (auto [value, map] : llvm::zip(op.inputs, op.inputMaps)) {
        if (!isa<BlockArgument>(value) || isIndexed(map, n, c))
          continue;
        double reads = parts[c];
        for (unsigned other = 0; other < parts.size(); ++other)
          if (other != c && !isIndexed(map, n, other))
            reads *= parts[other];
        auto type = cast<RankedTensorType>(value.getType());
        bytes +=
            reads * type.getNumElements() * elementBytes(type.getElementType());
      }
    return bytes;
  }

  /// True if a loop of class c occurs in `map` of op n.
  bool isIndexed(const nn::IndexMap &map, unsigned n, unsigned c) const {
    for (AffineExpr expr : map.exprs)
      for (auto [d, number] : llvm::enumerate(grid.classes.classOf[n]))
        if (number == int(c) && expr && expr.isFunctionOfDim(d))
          return true;
    return false;
  }

  const TileGrid &grid;
  ArrayRef<int64_t> units;
  SmallVector<int64_t> parts;
};
} // namespace

void mkc::codegen::splitByTraffic(TileGrid &grid, ArrayRef<int64_t> granule,
                                  int64_t wanted) {
  SmallVector<int64_t> units;
  for (auto [extent, size] : llvm::zip(grid.classes.extents, granule))
    units.push_back(llvm::divideCeil(std::max<int64_t>(extent, 1), size));
  SmallVector<int64_t> parts = Splitter(grid, units).run(wanted);
  grid.tile.clear();
  for (auto [count, part, size] : llvm::zip(units, parts, granule))
    grid.tile.push_back(int64_t(llvm::divideCeil(count, part)) * size);
}
