//===- Variant.cpp - A kernel's code for the host -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Variant.h"
#include "codegen/host/OpEmitter.h"
#include "codegen/tile/Access.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::codegen;
using namespace mkc::host;

namespace {

constexpr int64_t kScratchAlignment = 64;

/// A value that lives in scratch between two ops of one step.
struct Intermediate {
  Value value;
  SmallVector<int64_t> shape; ///< Of the part that one step makes.
  SmallVector<int> classOf;   ///< Per dim: class, or -1 if it is whole.
  int64_t offset;             ///< In scratch, bytes.
};

class VariantBuilder {
public:
  VariantBuilder(OpBuilder &builder, HostMachine machine, mk::KernelOp kernel,
                 const OperandStrides &strides, Tiling tiling)
      : builder(builder), kernel(kernel), strides(strides),
        tiling(std::move(tiling)), kb(builder, kernel.getLoc(), machine) {}

  FailureOr<mk::VariantOp> build(StringRef name) {
    placeIntermediates();
    OpBuilder::InsertionGuard restore(builder);
    mk::VariantOp variant = createOp(name);
    Block *entry = builder.createBlock(&variant.getBody());
    for (Type type : variant.getFunctionType().getInputs())
      entry->addArgument(type, kernel.getLoc());
    unsigned operands = strides.size();
    kb.env = entry->getArgument(operands + 1);
    if (failed(emitTile(entry)))
      return failure();
    builder.setInsertionPointToEnd(entry);
    mk::ReturnOp::create(builder, kernel.getLoc());
    return variant;
  }

private:
  //--- The op
  //-----------------------------------------------------------------//

  mk::VariantOp createOp(StringRef name) {
    SmallVector<Type> arguments;
    for (auto [type, operandStrides] : llvm::zip(operandTypes(kernel), strides))
      arguments.push_back(flatType(type, operandStrides));
    arguments.push_back(MemRefType::get({std::max<int64_t>(scratchBytes, 1)},
                                        builder.getI8Type()));
    arguments.push_back(LLVM::LLVMPointerType::get(builder.getContext()));
    arguments.push_back(builder.getIndexType());
    auto variant = mk::VariantOp::create(
        builder, kernel.getLoc(), name, kernel.getSymName(), "host",
        builder.getFunctionType(arguments, {}));
    variant.setTileCount(tiling.tileCount());
    variant.setScratchBytes(scratchBytes);
    variant.setFlops(tiling.flops);
    setAccesses(variant, buildAccesses(kernel, tiling, strides));
    return variant;
  }

  //--- Memory
  //-----------------------------------------------------------------//

  bool isYielded(Value value) {
    return llvm::is_contained(kernel.getYield().getValues(), value);
  }

  void placeIntermediates() {
    for (auto [n, op] : llvm::enumerate(tiling.ops))
      for (auto [value, map] : llvm::zip(op.results, op.resultMaps)) {
        if (isYielded(value) || (tiling.inRegisters && n == 0))
          continue;
        Intermediate intermediate{value, {}, {}, scratchBytes};
        int64_t bytes = elementBytes(getElementTypeOrSelf(value.getType()));
        for (AffineExpr expr : map.exprs) {
          unsigned loop = *nn::asDim(expr);
          int c = tiling.classes.classOf[n][loop];
          int64_t size = c >= 0 ? tiling.step[c] : op.extents[loop];
          intermediate.shape.push_back(size);
          intermediate.classOf.push_back(c);
          bytes *= std::max<int64_t>(size, 1);
        }
        scratchBytes += llvm::alignTo(bytes, kScratchAlignment);
        intermediates.push_back(intermediate);
      }
  }

  /// Where a value lives during the step that begins at `stepBegin`.
  Memory memoryOf(Value value, Block *entry, ArrayRef<Index> stepBegin) {
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
    const Intermediate *found =
        llvm::find_if(intermediates, [&](const Intermediate &candidate) {
          return candidate.value == value;
        });
    Memory memory{scratchView(*found, entry, element),
                  element,
                  computeSuffixProduct(found->shape),
                  {}};
    for (int c : found->classOf)
      memory.origin.push_back(c >= 0 ? stepBegin[c] : Index(0));
    return memory;
  }

  Value scratchView(const Intermediate &intermediate, Block *entry,
                    Type element) {
    int64_t count = 1;
    for (int64_t size : intermediate.shape)
      count *= std::max<int64_t>(size, 1);
    return memref::ViewOp::create(
        builder, kernel.getLoc(),
        MemRefType::get({count}, codegen::storageType(element)),
        entry->getArgument(strides.size()), kb.materialize(intermediate.offset),
        ValueRange());
  }

  //--- Code
  //-------------------------------------------------------------------//

  LogicalResult emitTile(Block *entry) {
    Index number = tiling.tileCount() == 1
                       ? Index(0)
                       : Index(entry->getArguments().back());
    SmallVector<LoopRange> tile = tiling.rangesOf(kb, number);
    SmallVector<LoopRange> step(tile.size());
    LogicalResult result = success();
    forEachStep(0, tile, step, [&] {
      if (succeeded(result))
        result = emitStep(entry, step);
    });
    return result;
  }

  void forEachStep(unsigned c, ArrayRef<LoopRange> tile,
                   MutableArrayRef<LoopRange> step, function_ref<void()> body) {
    if (c == tile.size())
      return body();
    if (tiling.step[c] >= tiling.tile[c]) {
      step[c] = tile[c];
      return forEachStep(c + 1, tile, step, body);
    }
    Index end = kb.add(tile[c].begin, tile[c].size);
    bool even = tile[c].size.isConstant() &&
                tile[c].size.constant % tiling.step[c] == 0;
    kb.loop(tile[c].begin, end, tiling.step[c], [&](Index i) {
      Index size = tiling.step[c];
      if (!even && tiling.step[c] > 1)
        size = kb.min(size, kb.sub(end, i));
      step[c] = {i, size};
      forEachStep(c + 1, tile, step, body);
    });
  }

  LogicalResult emitStep(Block *entry, ArrayRef<LoopRange> step) {
    SmallVector<Index> begins =
        llvm::map_to_vector(step, [](const LoopRange &r) { return r.begin; });
    std::vector<TileOp> ops;
    for (auto [n, nest] : llvm::enumerate(tiling.ops)) {
      TileOp op;
      op.nest = nest;
      op.plan = tiling.plans[n] ? &*tiling.plans[n] : nullptr;
      for (Value value : nest.inputs)
        op.inputs.push_back(isInRegisters(n, value)
                                ? Memory()
                                : memoryOf(value, entry, begins));
      for (Value value : nest.results)
        op.results.push_back(tiling.inRegisters && n == 0
                                 ? registerLayout(value)
                                 : memoryOf(value, entry, begins));
      for (unsigned d = 0; d < nest.rank(); ++d) {
        int c = tiling.classes.classOf[n][d];
        op.ranges.push_back(c >= 0 ? step[c] : LoopRange{0, nest.extents[d]});
      }
      ops.push_back(std::move(op));
    }
    if (tiling.inRegisters) {
      ops[0].epilogue = &ops[1];
      ops[0].epilogueInput =
          llvm::find(tiling.ops[1].inputs, tiling.ops[0].results[0]) -
          tiling.ops[1].inputs.begin();
      return emitOp(kb, ops[0]);
    }
    for (const TileOp &op : ops)
      if (failed(emitOp(kb, op)))
        return failure();
    return success();
  }

  bool isInRegisters(unsigned n, Value value) {
    return tiling.inRegisters && n == 1 && value == tiling.ops[0].results[0];
  }

  /// A result that is never stored still has a layout, which decides its
  /// vectors.
  Memory registerLayout(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return {Value(),
            type.getElementType(),
            computeSuffixProduct(type.getShape()),
            {}};
  }

  OpBuilder &builder;
  mk::KernelOp kernel;
  const OperandStrides &strides;
  Tiling tiling;
  KernelBuilder kb;
  SmallVector<Intermediate> intermediates;
  int64_t scratchBytes = 0;
};

} // namespace

FailureOr<mk::VariantOp> mkc::host::buildVariant(OpBuilder &builder,
                                                 HostMachine machine,
                                                 mk::KernelOp kernel,
                                                 const OperandStrides &strides,
                                                 StringRef name, Location loc) {
  FailureOr<Tiling> tiling = chooseTiling(machine, kernel, strides);
  if (failed(tiling))
    return failure();
  emitRemark(loc) << "@" << name << ": " << tiling->describe();
  FailureOr<mk::VariantOp> variant =
      VariantBuilder(builder, machine, kernel, strides, std::move(*tiling))
          .build(name);
  if (succeeded(variant))
    (*variant)->setLoc(loc);
  return variant;
}
