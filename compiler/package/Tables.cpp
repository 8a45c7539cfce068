//===- Tables.cpp - A package's tables ------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/package/Tables.h"
#include "dialects/mk/NodeNames.h"
#include "runtime/format/DataType.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc;
using namespace mkrt::format;

/// ONNX's number of an element type of level 2.
static DataType dataTypeOf(Type type) {
  if (type.isInteger(1))
    return types::Bool;
  if (type.isInteger(32))
    return types::Int32;
  if (type.isInteger(64))
    return types::Int64;
  if (type.isF64())
    return types::Double;
  if (type.isF16())
    return types::Float16;
  if (type.isBF16())
    return types::BFloat16;
  return types::Float;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static std::vector<AccessInstr> decodeCode(ArrayRef<int64_t> fields) {
  std::vector<AccessInstr> code;
  for (size_t i = 0; i + 5 <= fields.size(); i += 5)
    code.push_back({AccessOp(fields[i]), 0, uint16_t(fields[i + 1]),
                    uint16_t(fields[i + 2]), uint16_t(fields[i + 3]),
                    fields[i + 4]});
  return code;
}

static AccessEntry decodeEntry(ArrayRef<int64_t> fields, size_t instructions) {
  AccessEntry entry{};
  entry.instrCount = uint16_t(instructions);
  entry.operand = uint16_t(fields[0]);
  entry.mode = AccessMode(fields[1]);
  entry.rank = uint8_t(fields[2]);
  entry.offset = uint16_t(fields[3]);
  entry.innerBytes = uint16_t(fields[4]);
  for (unsigned i = 0; i < entry.rank; ++i) {
    entry.size[i] = uint16_t(fields[5 + 2 * i]);
    entry.stride[i] = uint16_t(fields[6 + 2 * i]);
  }
  return entry;
}

void TableBuilder::addKernel(mk::VariantOp variant) {
  PackageParts &parts = package.parts;
  schedule::Kernel kernel;
  kernel.tileCount = uint32_t(variant.getTileCount());
  kernel.operandCount = variant.getFunctionType().getNumInputs() - 3;
  kernel.code = decodeCode(variant.getAccessCode());
  kernel.tileCost = double(variant.getFlops()) / kernel.tileCount;
  KernelInfo info{};
  info.symbol = parts.intern(variant.getSymName().str());
  info.tileCount = kernel.tileCount;
  info.operandCount = kernel.operandCount;
  info.firstAccess = uint32_t(parts.accesses.size());
  info.scratchBytes = variant.getScratchBytes();
  uint32_t firstInstr = uint32_t(parts.accessCode.size());
  for (Attribute attr : variant.getAccesses()) {
    AccessEntry entry = decodeEntry(cast<DenseI64ArrayAttr>(attr).asArrayRef(),
                                    kernel.code.size());
    kernel.accesses.push_back(entry);
    entry.firstInstr = firstInstr;
    parts.accesses.push_back(entry);
  }
  info.accessCount = uint32_t(kernel.accesses.size());
  llvm::append_range(parts.accessCode, kernel.code);
  parts.program.scratchBytes =
      std::max(parts.program.scratchBytes, info.scratchBytes);
  kernelNumber[variant.getSymName()] = uint32_t(parts.kernels.size());
  parts.kernels.push_back(info);
  graph.kernels.push_back(std::move(kernel));
}

//===----------------------------------------------------------------------===//
// Buffers and launches
//===----------------------------------------------------------------------===//

void TableBuilder::addBuffers() {
  llvm::DenseSet<Value> used;
  main.walk([&](mk::LaunchOp launch) {
    if (!launch.getCompileTime())
      used.insert(launch.getBuffers().begin(), launch.getBuffers().end());
  });
  for (auto buffer : main.getOps<mk::BufferOp>()) {
    if (!used.contains(buffer))
      continue;
    schedule::Buffer entry{Space(buffer.getKind()), uint16_t(buffer.getIndex()),
                           uint64_t(buffer.getBytes()), 0};
    if (entry.space == Space::Weights) {
      entry.offset = package.weightBytes;
      std::span<const std::byte> bytes = package.values->bytes(buffer);
      package.weights.push_back({entry.offset, bytes});
      package.weightBytes +=
          llvm::alignTo(std::max<uint64_t>(entry.bytes, 1), kWeightAlignment);
    }
    bufferNumber[buffer] = uint32_t(graph.buffers.size());
    graph.buffers.push_back(entry);
  }
}

void TableBuilder::addLaunch(mk::LaunchOp launch) {
  PackageParts &parts = package.parts;
  schedule::Dispatch dispatch;
  dispatch.kernel = kernelNumber.lookup(launch.getCallee());
  for (auto [buffer, offset] :
       llvm::zip(launch.getBuffers(), launch.getOffsets()))
    dispatch.operands.push_back(
        {bufferNumber.lookup(buffer), uint64_t(offset)});
  graph.dispatches.push_back(std::move(dispatch));
  DispatchInfo info{};
  info.name = parts.intern(mk::nodeNames(launch.getLoc()));
  info.kernel = graph.dispatches.back().kernel;
  parts.dispatches.push_back(info);
}

void TableBuilder::addPorts(llvm::StringRef attribute) {
  PackageParts &parts = package.parts;
  auto ports = main->getAttrOfType<ArrayAttr>(attribute);
  for (Attribute attr : ports) {
    auto fields = cast<DictionaryAttr>(attr);
    auto type =
        cast<RankedTensorType>(cast<TypeAttr>(fields.get("type")).getValue());
    PortInfo port{};
    port.name = parts.intern(cast<StringAttr>(fields.get("name")).str());
    port.type = dataTypeOf(type.getElementType());
    port.rank = uint32_t(type.getRank());
    port.firstDim = uint32_t(parts.dims.size());
    llvm::append_range(parts.dims, type.getShape());
    port.bytes = *tensorBytes(port.type,
                              {type.getShape().data(), size_t(type.getRank())});
    parts.ports.push_back(port);
  }
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

LogicalResult TableBuilder::addSchedule(const schedule::Options &options) {
  schedule::Schedule schedule;
  std::string error = schedule::buildSchedule(graph, options, schedule);
  if (!error.empty())
    return module.emitError("scheduling failed: ") << error;
  PackageParts &parts = package.parts;
  parts.records = std::move(schedule.records);
  parts.queueStarts = std::move(schedule.queueStarts);
  parts.recordDispatch = std::move(schedule.recordDispatch);
  parts.operandTable = std::move(schedule.operandTable);
  parts.program.arenaBytes = schedule.arenaBytes;
  parts.program.counterCount = schedule.counterCount;
  parts.program.queueCount = uint32_t(parts.queueStarts.size() - 1);
  return success();
}

LogicalResult TableBuilder::build(ArrayRef<llvm::StringRef> variants,
                                  const schedule::Options &options) {
  for (llvm::StringRef name : variants)
    addKernel(module.lookupSymbol<mk::VariantOp>(name));
  addBuffers();
  main.walk([&](mk::LaunchOp launch) {
    if (!launch.getCompileTime())
      addLaunch(launch);
  });
  addPorts("mk.inputs");
  package.parts.program.inputCount = uint32_t(package.parts.ports.size());
  addPorts("mk.outputs");
  package.parts.program.outputCount =
      uint32_t(package.parts.ports.size()) - package.parts.program.inputCount;
  return addSchedule(options);
}
