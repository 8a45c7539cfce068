//===- Weights.cpp - Constants and weight-only work -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/evaluate/Weights.h"
#include "dialects/FailureKind.h"

#include <cstring>

using namespace mlir;
using namespace mkc;

/// Cache line and widest vector.
static constexpr size_t kAlignment = 64;

std::span<const std::byte> WeightValues::bytes(Value buffer) const {
  auto found = contents.find(buffer);
  return found == contents.end() ? std::span<const std::byte>() : found->second;
}

LogicalResult WeightValues::allocate(mk::BufferOp buffer) {
  size_t bytes = buffer.getBytes();
  size_t rounded = llvm::alignTo(std::max<size_t>(bytes, 1), kAlignment);
  auto *memory =
      static_cast<std::byte *>(std::aligned_alloc(kAlignment, rounded));
  if (!memory)
    return markFailure(buffer.emitError(), FailureKind::Resources)
           << "no memory for " << bytes << " bytes of weights";
  owned[buffer] = Memory(memory);
  contents[buffer] = {memory, bytes};
  return success();
}

std::byte *WeightValues::writable(mk::BufferOp buffer) {
  return owned[buffer].get();
}

/// Elements in row-major order as they lie in memory: bool as one byte.
static void storeDense(DenseElementsAttr attr, std::byte *to) {
  if (attr.getElementType().isInteger(1)) {
    for (bool value : attr.getValues<bool>())
      *to++ = std::byte(value);
    return;
  }
  ArrayRef<char> raw = attr.getRawData();
  if (!attr.isSplat()) {
    std::memcpy(to, raw.data(), raw.size());
    return;
  }
  for (int64_t i = 0, n = attr.getNumElements(); i < n; ++i)
    std::memcpy(to + i * raw.size(), raw.data(), raw.size());
}

LogicalResult WeightValues::loadConstant(mk::BufferOp buffer) {
  Attribute value = *buffer.getValue();
  if (auto weight = dyn_cast<mk::WeightAttr>(value)) {
    llvm::Expected<StringRef> bytes = store.bytes(weight);
    if (!bytes)
      return markFailure(buffer.emitError(), FailureKind::BadInput)
             << llvm::toString(bytes.takeError());
    if (bytes->size() != buffer.getBytes())
      return buffer.emitError("a weight of ")
             << bytes->size() << " bytes for a tensor of " << buffer.getBytes();
    auto *data = reinterpret_cast<const std::byte *>(bytes->data());
    if (reinterpret_cast<uintptr_t>(data) % kAlignment == 0) {
      contents[buffer] = {data, bytes->size()};
      return success();
    }
    if (failed(allocate(buffer)))
      return failure();
    std::memcpy(writable(buffer), data, bytes->size());
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return buffer.emitError("a constant must be dense or a weight");
  if (failed(allocate(buffer)))
    return failure();
  storeDense(dense, writable(buffer));
  return success();
}

LogicalResult WeightValues::run(mk::LaunchOp launch,
                                const KernelLookup &kernels) {
  auto variant = SymbolTable::lookupNearestSymbolFrom<mk::VariantOp>(
      launch, launch.getCalleeAttr());
  mkrt::format::HostKernel kernel = kernels(launch.getCallee());
  if (!kernel)
    return launch.emitError("no code for ") << launch.getCallee();
  SmallVector<uint64_t> operands;
  for (auto [buffer, offset] :
       llvm::zip(launch.getBuffers(), launch.getOffsets())) {
    auto op = buffer.getDefiningOp<mk::BufferOp>();
    if (!contents.contains(buffer) &&
        failed(op.getValue() ? loadConstant(op) : allocate(op)))
      return failure();
    operands.push_back(reinterpret_cast<uint64_t>(contents[buffer].data()) +
                       offset);
  }
  size_t scratchBytes = llvm::alignTo(
      std::max<int64_t>(variant.getScratchBytes(), 1), kAlignment);
  Memory scratch(
      static_cast<std::byte *>(std::aligned_alloc(kAlignment, scratchBytes)));
  if (!scratch)
    return markFailure(launch.emitError(), FailureKind::Resources)
           << "no memory for " << scratchBytes << " bytes of scratch";
  mkrt::format::HostEnv env{scratch.get(), nullptr, 0, 0, 0};
  for (int64_t tile = 0; tile < int64_t(variant.getTileCount()); ++tile)
    kernel(operands.data(), tile, &env);
  if (env.indexFault)
    return markFailure(launch.emitError(), FailureKind::BadInput)
           << "index " << env.faultIndex << " is outside [-" << env.faultBound
           << ", " << env.faultBound << ")";
  return success();
}

LogicalResult WeightValues::evaluate(func::FuncOp main,
                                     const KernelLookup &kernels) {
  // What a run reads stays; the rest goes after its last launch.
  llvm::DenseSet<Value> kept;
  llvm::DenseMap<Value, Operation *> lastUse;
  main.walk([&](mk::LaunchOp launch) {
    for (Value buffer : launch.getBuffers()) {
      if (!launch.getCompileTime())
        kept.insert(buffer);
      lastUse[buffer] = launch;
    }
  });
  WalkResult result = main.walk([&](mk::LaunchOp launch) {
    if (!launch.getCompileTime())
      return WalkResult::advance();
    if (failed(run(launch, kernels)))
      return WalkResult::interrupt();
    for (Value buffer : launch.getBuffers())
      if (!kept.contains(buffer) && lastUse[buffer] == launch) {
        owned.erase(buffer);
        contents.erase(buffer);
      }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto buffer : main.getOps<mk::BufferOp>())
    if (kept.contains(buffer) && buffer.getValue() &&
        !contents.contains(buffer) && failed(loadConstant(buffer)))
      return failure();
  return success();
}
