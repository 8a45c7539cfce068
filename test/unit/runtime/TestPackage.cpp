//===- TestPackage.cpp - Small packages for tests -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestPackage.h"

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace mkrt::format;
using namespace mkrt::test;

void TestPackage::addPort(std::vector<PortInfo> &ports, const std::string &name,
                          DataType type, const std::vector<int64_t> &shape) {
  PortInfo port{};
  port.name = parts.intern(name);
  port.type = type;
  port.rank = uint32_t(shape.size());
  port.firstDim = uint32_t(parts.dims.size());
  port.bytes = tensorBytes(type, shape).value_or(0);
  parts.dims.insert(parts.dims.end(), shape.begin(), shape.end());
  ports.push_back(port);
}

uint32_t TestPackage::input(const std::string &name, DataType type,
                            std::vector<int64_t> shape) {
  addPort(inputs_, name, type, shape);
  return parts.program.inputCount++;
}

uint32_t TestPackage::output(const std::string &name, DataType type,
                             std::vector<int64_t> shape) {
  addPort(outputs_, name, type, shape);
  return parts.program.outputCount++;
}

uint32_t TestPackage::kernel(const std::string &symbol, uint32_t tiles,
                             uint32_t operands, const AccessBuilder &builder,
                             std::vector<AccessEntry> entries,
                             uint64_t scratchBytes) {
  KernelInfo kernel{};
  kernel.symbol = parts.intern(symbol);
  kernel.tileCount = tiles;
  kernel.operandCount = operands;
  kernel.firstAccess = uint32_t(parts.accesses.size());
  kernel.accessCount = uint32_t(entries.size());
  kernel.scratchBytes = scratchBytes;
  for (AccessEntry entry : entries) {
    entry.firstInstr = uint32_t(parts.accessCode.size());
    parts.accesses.push_back(entry);
  }
  parts.accessCode.insert(parts.accessCode.end(), builder.code().begin(),
                          builder.code().end());
  parts.program.scratchBytes =
      std::max(parts.program.scratchBytes, scratchBytes);
  parts.kernels.push_back(kernel);
  return uint32_t(parts.kernels.size() - 1);
}

Record &TestPackage::record(unsigned queue, uint32_t kernel,
                            std::vector<OperandRef> operands,
                            std::vector<Wait> waits,
                            std::vector<Signal> signals,
                            const std::string &node) {
  Record record{};
  record.opcode = Opcode::Run;
  record.kernel = kernel;
  record.tileCount = parts.kernels[kernel].tileCount;
  record.tileStride = 1;
  record.rank = recordCount_++;
  record.operandCount = uint8_t(operands.size());
  record.waitCount = uint8_t(waits.size());
  record.signalCount = uint8_t(signals.size());
  std::copy(waits.begin(), waits.end(), record.waits);
  std::copy(signals.begin(), signals.end(), record.signals);
  unsigned inlined = unsigned(operands.size());
  if (operands.size() > kInlineOperands) {
    inlined = kInlineOperands - 1;
    record.operands[inlined] = parts.operandTable.size();
    for (size_t i = inlined; i < operands.size(); ++i)
      parts.operandTable.push_back(operands[i].bits());
  }
  for (unsigned i = 0; i < inlined; ++i)
    record.operands[i] = operands[i].bits();
  for (const Wait &wait : waits)
    parts.program.counterCount =
        std::max(parts.program.counterCount, wait.counter + 1);
  for (const Signal &signal : signals)
    parts.program.counterCount =
        std::max(parts.program.counterCount, signal.counter + 1);

  DispatchInfo dispatch{};
  dispatch.name =
      parts.intern(node.empty() ? "node" + std::to_string(record.rank) : node);
  dispatch.kernel = kernel;
  parts.dispatches.push_back(dispatch);
  queues_[queue].push_back({record, uint32_t(parts.dispatches.size() - 1)});
  return queues_[queue].back().record;
}

PackageParts &TestPackage::finish() {
  parts.records.clear();
  parts.recordDispatch.clear();
  parts.queueStarts = {0};
  parts.program.queueCount = uint32_t(queues_.size());
  for (const std::deque<Item> &queue : queues_) {
    for (const Item &item : queue) {
      parts.records.push_back(item.record);
      parts.recordDispatch.push_back(item.dispatch);
    }
    parts.queueStarts.push_back(uint32_t(parts.records.size()));
  }
  parts.ports = inputs_;
  parts.ports.insert(parts.ports.end(), outputs_.begin(), outputs_.end());
  return parts;
}

std::vector<std::byte> TestPackage::encode(std::span<const WeightPiece> weights,
                                           uint64_t weightBytes) {
  return encodePackage(finish(), weights, weightBytes);
}

std::vector<std::byte> mkrt::test::testKernels() {
  std::ifstream file(MKC_TEST_KERNELS, std::ios::binary);
  std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
