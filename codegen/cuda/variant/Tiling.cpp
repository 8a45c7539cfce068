//===- Tiling.cpp - How a kernel is cut into tiles for a GPU --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/Tiling.h"
#include "codegen/cuda/variant/ThreadBuilder.h"
#include "codegen/tile/SplitByTraffic.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::cuda;

/// A record costs its consumers about as long as an SM needs for this many
/// operations of scalar code (CudaChip::recordNs at 256 operations a clock,
/// most of which wait for memory): smaller tasks would be mostly overhead.
static constexpr int64_t kWorkPerTask = 1 << 17;
/// Tasks per SM: more even out the tail, each costs a record.
static constexpr int64_t kTasksPerSm = 2;

/// The class of the loop that walks the last op's first result contiguously.
static std::optional<unsigned> contiguousClass(const codegen::TileGrid &grid) {
  ArrayRef<AffineExpr> exprs = grid.ops.back().resultMaps[0].exprs;
  if (exprs.empty())
    return std::nullopt;
  std::optional<unsigned> loop = nn::asDim(exprs.back());
  int number = loop ? grid.classes.classOf.back()[*loop] : -1;
  return number < 0 ? std::nullopt : std::optional<unsigned>(number);
}

FailureOr<Tiling> mkc::cuda::chooseTiling(const CudaChip &chip,
                                          mk::KernelOp kernel) {
  Tiling tiling;
  if (failed(codegen::findOps(kernel, tiling)))
    return failure();
  for (const nn::Structured &op : tiling.ops)
    tiling.flops += op.points() * codegen::workPerPoint(op);
  SmallVector<int64_t> granule(tiling.classes.extents.size(), 1);
  // A warp's stores fill whole sectors.
  if (std::optional<unsigned> c = contiguousClass(tiling))
    granule[*c] =
        std::clamp<int64_t>(tiling.classes.extents[*c], 1, kTileThreads / 4);
  int64_t wanted = std::clamp<int64_t>(tiling.flops / kWorkPerTask, 1,
                                       kTasksPerSm * int64_t(chip.sms));
  codegen::splitByTraffic(tiling, granule, wanted);
  return tiling;
}

static void printSizes(llvm::raw_ostream &out, ArrayRef<int64_t> sizes) {
  if (sizes.empty())
    out << "1";
  llvm::interleave(sizes, out, "x");
}

std::string Tiling::describe() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "generic code, tasks of ";
  printSizes(out, tile);
  out << " of ";
  printSizes(out, classes.extents);
  out << " points, " << tileCount() << " in all";
  return text;
}
