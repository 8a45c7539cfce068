//===- SelectHostVariants.cpp - A variant for every launch ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Passes.h"
#include "codegen/host/Variant.h"

#include "llvm/ADT/MapVector.h"

namespace mkc {
#define GEN_PASS_DEF_SELECTHOSTVARIANTSPASS
#include "codegen/host/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {

codegen::OperandStrides stridesOf(mk::LaunchOp launch) {
  codegen::OperandStrides strides;
  for (Attribute attr : launch.getStrides())
    strides.push_back(
        SmallVector<int64_t>(cast<DenseI64ArrayAttr>(attr).asArrayRef()));
  return strides;
}

struct SelectHostVariants
    : mkc::impl::SelectHostVariantsPassBase<SelectHostVariants> {
  using mkc::impl::SelectHostVariantsPassBase<
      SelectHostVariants>::SelectHostVariantsPassBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Attributes are unique in a context, so they serve as keys.
    llvm::MapVector<std::pair<Attribute, Attribute>, mk::VariantOp> variants;
    llvm::DenseMap<Attribute, unsigned> count;
    bool failedOnce = false;
    module.walk([&](mk::LaunchOp launch) {
      auto kernel = module.lookupSymbol<mk::KernelOp>(launch.getCalleeAttr());
      if (!kernel) // has a variant already
        return;
      mk::VariantOp &variant =
          variants[{launch.getCalleeAttr(), launch.getStridesAttr()}];
      if (!variant) {
        OpBuilder builder(kernel);
        unsigned number = count[launch.getCalleeAttr()]++;
        std::string name =
            (kernel.getSymName() + "_" + std::to_string(number)).str();
        FailureOr<mk::VariantOp> built = host::buildVariant(
            builder, {vectorBytes, vectorRegisters, convertsHalf}, kernel,
            stridesOf(launch), name, launch.getLoc());
        if (failed(built)) {
          failedOnce = true;
          return;
        }
        variant = *built;
      }
      launch.setCallee(variant.getSymName());
    });
    if (failedOnce)
      return signalPassFailure();
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<mk::KernelOp>()))
      kernel.erase();
  }
};

} // namespace
