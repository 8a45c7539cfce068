//===- SelectCudaVariants.cpp - A variant for every launch of a run -------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/Passes.h"
#include "codegen/cuda/variant/Variant.h"

#include "llvm/ADT/MapVector.h"

namespace mkc {
#define GEN_PASS_DEF_SELECTCUDAVARIANTSPASS
#include "codegen/cuda/variant/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {

SmallVector<bool> weightOperands(mk::LaunchOp launch) {
  return llvm::map_to_vector(launch.getBuffers(), [](Value buffer) {
    auto op = buffer.getDefiningOp<mk::BufferOp>();
    return op && op.getKind() == mk::BufferKind::Weights;
  });
}

struct SelectCudaVariants
    : mkc::impl::SelectCudaVariantsPassBase<SelectCudaVariants> {
  using mkc::impl::SelectCudaVariantsPassBase<
      SelectCudaVariants>::SelectCudaVariantsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string error;
    const CudaChip *row = findCudaChip(chip, error);
    if (!row) {
      module.emitError(error);
      return signalPassFailure();
    }
    bool failedOnce = false;
    module.walk([&](mk::LaunchOp launch) {
      auto kernel = module.lookupSymbol<mk::KernelOp>(launch.getCalleeAttr());
      if (!kernel || launch.getCompileTime()) // has a variant, or needs none
        return;
      if (failed(select(*row, launch, kernel)))
        failedOnce = true;
    });
    if (failedOnce)
      return signalPassFailure();
    eraseUnused(module);
  }

private:
  /// What tells variants of a kernel apart. Attributes are unique in a context.
  struct Key {
    Attribute callee, strides, weights;
    bool operator<(const Key &other) const {
      return std::tuple(callee.getAsOpaquePointer(),
                        strides.getAsOpaquePointer(),
                        weights.getAsOpaquePointer()) <
             std::tuple(other.callee.getAsOpaquePointer(),
                        other.strides.getAsOpaquePointer(),
                        other.weights.getAsOpaquePointer());
    }
  };

  LogicalResult select(const CudaChip &row, mk::LaunchOp launch,
                       mk::KernelOp kernel) {
    OpBuilder builder(kernel);
    SmallVector<bool> weights = weightOperands(launch);
    Key key{launch.getCalleeAttr(), launch.getStridesAttr(),
            builder.getDenseBoolArrayAttr(weights)};
    mk::VariantOp &variant = variants[key];
    if (!variant) {
      codegen::OperandStrides strides;
      for (Attribute attr : launch.getStrides())
        strides.push_back(
            SmallVector<int64_t>(cast<DenseI64ArrayAttr>(attr).asArrayRef()));
      unsigned number = count[launch.getCalleeAttr()]++;
      std::string name = (kernel.getSymName() + "_sm" + Twine(number)).str();
      FailureOr<mk::VariantOp> built = cuda::buildVariant(
          builder, row, kernel, strides, weights, name, launch.getLoc());
      if (failed(built))
        return failure();
      variant = *built;
    }
    launch.setCallee(variant.getSymName());
    return success();
  }

  /// Kernels of launches at compile time stay.
  void eraseUnused(ModuleOp module) {
    llvm::DenseSet<StringRef> used;
    module.walk([&](mk::LaunchOp launch) { used.insert(launch.getCallee()); });
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<mk::KernelOp>()))
      if (!used.contains(kernel.getSymName()))
        kernel.erase();
  }

  std::map<Key, mk::VariantOp> variants;
  llvm::DenseMap<Attribute, unsigned> count;
};

} // namespace
