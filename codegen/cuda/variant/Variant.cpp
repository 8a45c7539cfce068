//===- Variant.cpp - A kernel's code for a GPU ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generic path. The ops of a kernel run one after the other on a tile, each
// by all threads, with a sync between them. What one passes to the next lies in
// shared memory as far as it fits, else in the block's part of global memory.
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/Variant.h"
#include "codegen/cuda/variant/OpEmitter.h"
#include "codegen/cuda/variant/Tiling.h"
#include "codegen/tile/Access.h"
#include "runtime/format/DeviceAbi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::cuda;

namespace {

constexpr int64_t kAlignment = 16;
/// NVVM's number of the address space.
constexpr unsigned kSharedSpace = 3;

/// A value that lives between two ops of one tile.
struct Intermediate {
  Value value;
  SmallVector<int64_t> shape; ///< Of the part that one tile makes.
  SmallVector<int> classOf;   ///< Per dim: class, or -1 if it is whole.
  bool isShared;
  int64_t offset; ///< In bytes, in its memory.

  int64_t count() const {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= std::max<int64_t>(size, 1);
    return count;
  }
};

class VariantBuilder {
public:
  VariantBuilder(OpBuilder &builder, mk::KernelOp kernel,
                 const codegen::OperandStrides &strides, Tiling tiling)
      : builder(builder), kernel(kernel), strides(strides),
        tiling(std::move(tiling)), tb(builder, kernel.getLoc()) {}

  FailureOr<mk::VariantOp> build(StringRef name, const CudaChip &chip,
                                 ArrayRef<bool> isWeight) {
    placeIntermediates();
    OpBuilder::InsertionGuard restore(builder);
    mk::VariantOp variant = createOp(name, chip, isWeight);
    entry = builder.createBlock(&variant.getBody());
    for (Type type : variant.getFunctionType().getInputs())
      entry->addArgument(type, kernel.getLoc());
    tb.env = entry->getArgument(strides.size() + 1);
    tb.thread = mk::ThreadIdOp::create(builder, kernel.getLoc(),
                                       builder.getIndexType());
    auto sharedType = MemRefType::get({sharedBytes}, builder.getI8Type(),
                                      MemRefLayoutAttrInterface(),
                                      builder.getI64IntegerAttr(kSharedSpace));
    auto shared = mk::SharedOp::create(builder, kernel.getLoc(), sharedType);
    tb.shared = shared;
    if (failed(emitTile()))
      return failure();
    if (shared->use_empty())
      shared->erase();
    builder.setInsertionPointToEnd(entry);
    mk::ReturnOp::create(builder, kernel.getLoc());
    return variant;
  }

private:
  mk::VariantOp createOp(StringRef name, const CudaChip &chip,
                         ArrayRef<bool> isWeight) {
    SmallVector<Type> arguments;
    for (auto [type, operandStrides] :
         llvm::zip(codegen::operandTypes(kernel), strides))
      arguments.push_back(codegen::flatType(type, operandStrides));
    arguments.push_back(MemRefType::get({std::max<int64_t>(globalBytes, 1)},
                                        builder.getI8Type()));
    arguments.push_back(LLVM::LLVMPointerType::get(builder.getContext()));
    arguments.push_back(builder.getIndexType());
    auto variant = mk::VariantOp::create(
        builder, kernel.getLoc(), name, kernel.getSymName(), chip.target(),
        builder.getFunctionType(arguments, {}));
    for (auto [i, weight] : llvm::enumerate(isWeight))
      if (weight)
        variant.setArgAttr(i, kWeightAttr, builder.getUnitAttr());
    variant.setTileCount(tiling.tileCount());
    variant.setScratchBytes(globalBytes);
    variant.setFlops(tiling.flops);
    codegen::setAccesses(variant,
                         codegen::buildAccesses(kernel, tiling, strides));
    return variant;
  }

  //--- Memory ---------------------------------------------------------------//

  bool isYielded(Value value) {
    return llvm::is_contained(kernel.getYield().getValues(), value);
  }

  void placeIntermediates() {
    for (auto [n, op] : llvm::enumerate(tiling.ops))
      for (auto [value, map] : llvm::zip(op.results, op.resultMaps)) {
        if (isYielded(value))
          continue;
        Intermediate intermediate{value, {}, {}, false, 0};
        for (AffineExpr expr : map.exprs) {
          unsigned loop = *nn::asDim(expr);
          int c = tiling.classes.classOf[n][loop];
          intermediate.shape.push_back(c >= 0 ? tiling.tile[c]
                                              : op.extents[loop]);
          intermediate.classOf.push_back(c);
        }
        place(intermediate);
        intermediates.push_back(intermediate);
      }
  }

  void place(Intermediate &intermediate) {
    Type element = getElementTypeOrSelf(intermediate.value.getType());
    int64_t bytes = llvm::alignTo(
        intermediate.count() * codegen::elementBytes(element), kAlignment);
    intermediate.isShared =
        sharedBytes + bytes <= int64_t(mkrt::format::kScratchBytes);
    int64_t &used = intermediate.isShared ? sharedBytes : globalBytes;
    intermediate.offset = used;
    used += bytes;
  }

  /// Where a value lives in the tile that begins at `begins`.
  Memory memoryOf(Value value, ArrayRef<Index> begins) {
    Type element = getElementTypeOrSelf(value.getType());
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned i = argument.getArgNumber();
      return {entry->getArgument(i), element, strides[i], {}};
    }
    for (auto [i, yielded] : llvm::enumerate(kernel.getYield().getValues()))
      if (yielded == value) {
        unsigned operand = kernel.getNumArguments() + i;
        return {entry->getArgument(operand), element, strides[operand], {}};
      }
    const Intermediate &found =
        *llvm::find_if(intermediates, [&](const Intermediate &candidate) {
          return candidate.value == value;
        });
    Memory memory = viewOf(found, element);
    memory.strides = computeSuffixProduct(found.shape);
    for (int c : found.classOf)
      memory.origin.push_back(c >= 0 ? begins[c] : Index(0));
    return memory;
  }

  Memory viewOf(const Intermediate &intermediate, Type element) {
    if (intermediate.isShared)
      return tb.sharedMemory(element, intermediate.offset,
                             intermediate.count());
    Value view = memref::ViewOp::create(
        builder, kernel.getLoc(),
        MemRefType::get({intermediate.count()}, codegen::storageType(element)),
        entry->getArgument(strides.size()), tb.materialize(intermediate.offset),
        ValueRange());
    return {view, element, {}, {}};
  }

  //--- Code -----------------------------------------------------------------//

  LogicalResult emitTile() {
    Index number = tiling.tileCount() == 1
                       ? Index(0)
                       : Index(entry->getArguments().back());
    SmallVector<LoopRange> tile = tiling.rangesOf(tb, number);
    SmallVector<Index> begins =
        llvm::map_to_vector(tile, [](const LoopRange &r) { return r.begin; });
    for (auto [n, nest] : llvm::enumerate(tiling.ops)) {
      TiledOp op;
      op.nest = nest;
      for (Value value : nest.inputs)
        op.inputs.push_back(memoryOf(value, begins));
      for (Value value : nest.results)
        op.results.push_back(memoryOf(value, begins));
      for (unsigned d = 0; d < nest.rank(); ++d) {
        int c = tiling.classes.classOf[n][d];
        op.ranges.push_back(c >= 0 ? tile[c] : LoopRange{0, nest.extents[d]});
      }
      tb.loc = nest.op->getLoc();
      if (failed(emitOp(tb, op)))
        return failure();
      // For the next op, and before the next tile overwrites what this one has
      // passed on.
      if (tiling.ops.size() > 1)
        tb.sync();
    }
    return success();
  }

  OpBuilder &builder;
  mk::KernelOp kernel;
  const codegen::OperandStrides &strides;
  Tiling tiling;
  ThreadBuilder tb;
  Block *entry = nullptr;
  SmallVector<Intermediate> intermediates;
  int64_t sharedBytes = kTeamBytes;
  int64_t globalBytes = 0;
};

} // namespace

FailureOr<mk::VariantOp>
mkc::cuda::buildVariant(OpBuilder &builder, const CudaChip &chip,
                        mk::KernelOp kernel,
                        const codegen::OperandStrides &strides,
                        ArrayRef<bool> isWeight, StringRef name, Location loc) {
  FailureOr<Tiling> tiling = chooseTiling(chip, kernel);
  if (failed(tiling))
    return failure();
  emitRemark(loc) << "@" << name << ": " << tiling->describe();
  FailureOr<mk::VariantOp> variant =
      VariantBuilder(builder, kernel, strides, std::move(*tiling))
          .build(name, chip, isWeight);
  if (succeeded(variant))
    (*variant)->setLoc(loc);
  return variant;
}
