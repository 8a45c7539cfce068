//===- GraphBuilder.cpp - Task graphs for tests ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/compiler/schedule/GraphBuilder.h"

#include <algorithm>

using namespace mkc::schedule;
using namespace mkc::test;
using namespace mkrt::format;

uint32_t GraphBuilder::buffer(Space space, uint16_t index, uint64_t bytes,
                              uint64_t offset) {
  graph.buffers.push_back({space, index, bytes, offset});
  return uint32_t(graph.buffers.size() - 1);
}

uint32_t GraphBuilder::arena(uint64_t bytes) {
  return buffer(Space::Arena, 0, bytes);
}

uint32_t GraphBuilder::input(uint64_t bytes) {
  return buffer(Space::Input, inputs_++, bytes);
}

uint32_t GraphBuilder::output(uint64_t bytes) {
  return buffer(Space::Output, outputs_++, bytes);
}

uint32_t GraphBuilder::weights(uint64_t bytes) {
  uint64_t offset = weightBytes;
  weightBytes +=
      (bytes + kWeightAlignment - 1) / kWeightAlignment * kWeightAlignment;
  return buffer(Space::Weights, 0, bytes, offset);
}

uint32_t GraphBuilder::kernel(uint32_t tiles, uint32_t operands,
                              const AccessBuilder &builder,
                              std::vector<AccessEntry> entries, double cost) {
  for (AccessEntry &entry : entries)
    entry.instrCount = uint16_t(builder.code().size());
  graph.kernels.push_back({tiles,
                           operands,
                           std::move(entries),
                           {builder.code().begin(), builder.code().end()},
                           cost});
  return uint32_t(graph.kernels.size() - 1);
}

uint32_t GraphBuilder::blocks(uint32_t tiles, uint32_t operands, int64_t size,
                              bool readAll) {
  AccessBuilder b;
  auto bytes = b.constant(size), at = b.mul(b.tile(), bytes);
  std::vector<AccessEntry> entries = {
      b.entry(0, AccessMode::Write, at, {}, bytes)};
  auto zero = b.constant(0), all = b.constant(size * tiles);
  for (uint32_t i = 1; i < operands; ++i)
    entries.push_back(b.entry(i, AccessMode::Read, readAll ? zero : at, {},
                              readAll ? all : bytes));
  return kernel(tiles, operands, b, std::move(entries));
}

void GraphBuilder::dispatch(uint32_t kernel, std::vector<Operand> operands) {
  graph.dispatches.push_back({kernel, std::move(operands)});
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

static void addKernels(const TaskGraph &graph, PackageParts &parts) {
  for (const Kernel &kernel : graph.kernels) {
    KernelInfo info{};
    info.symbol = parts.intern("k" + std::to_string(parts.kernels.size()));
    info.tileCount = kernel.tileCount;
    info.operandCount = kernel.operandCount;
    info.firstAccess = uint32_t(parts.accesses.size());
    info.accessCount = uint32_t(kernel.accesses.size());
    for (AccessEntry entry : kernel.accesses) {
      entry.firstInstr = uint32_t(parts.accessCode.size());
      parts.accesses.push_back(entry);
    }
    parts.accessCode.insert(parts.accessCode.end(), kernel.code.begin(),
                            kernel.code.end());
    parts.kernels.push_back(info);
  }
}

static uint32_t addPorts(const TaskGraph &graph, Space space,
                         PackageParts &parts) {
  uint32_t count = 0;
  for (const Buffer &buffer : graph.buffers) {
    if (buffer.space != space)
      continue;
    PortInfo port{};
    port.name = parts.intern("port" + std::to_string(parts.ports.size()));
    port.type = types::UInt8;
    port.rank = 1;
    port.firstDim = uint32_t(parts.dims.size());
    port.bytes = buffer.bytes;
    parts.dims.push_back(int64_t(buffer.bytes));
    parts.ports.push_back(port);
    ++count;
  }
  return count;
}

static PackageParts partsOf(const TaskGraph &graph, const Schedule &schedule) {
  PackageParts parts;
  addKernels(graph, parts);
  for (size_t d = 0; d < graph.dispatches.size(); ++d)
    parts.dispatches.push_back({parts.intern("node" + std::to_string(d)),
                                graph.dispatches[d].kernel, 0});
  parts.program.inputCount = addPorts(graph, Space::Input, parts);
  parts.program.outputCount = addPorts(graph, Space::Output, parts);
  parts.program.arenaBytes = schedule.arenaBytes;
  parts.program.counterCount = schedule.counterCount;
  parts.program.queueCount = uint32_t(schedule.queueStarts.size() - 1);
  parts.records = schedule.records;
  parts.queueStarts = schedule.queueStarts;
  parts.recordDispatch = schedule.recordDispatch;
  parts.operandTable = schedule.operandTable;
  return parts;
}

Scheduled mkc::test::scheduleOf(GraphBuilder &builder, const Options &options) {
  Scheduled result;
  result.error = buildSchedule(builder.graph, options, result.schedule);
  if (!result.error.empty())
    return result;
  std::vector<std::byte> encoded = encodePackage(
      partsOf(builder.graph, result.schedule), {}, builder.weightBytes);
  result.bytes.resize(encoded.size() / sizeof(Record) + 1);
  auto *data = reinterpret_cast<std::byte *>(result.bytes.data());
  std::copy(encoded.begin(), encoded.end(), data);
  result.error = PackageView::open({data, encoded.size()}, result.view);
  return result;
}
