//===- PrintSchedule.cpp - Schedules as text ------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/PrintSchedule.h"

using namespace mkrt::format;

static std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

static std::string counted(uint64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Indents each line.
static void appendIndented(std::string &out, std::string_view text) {
  while (!text.empty()) {
    size_t end = text.find('\n');
    out += "  " + std::string(text.substr(0, end)) + "\n";
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
}

static std::string kernelText(const PackageView &view, uint32_t k) {
  const KernelInfo &kernel = view.kernels()[k];
  std::string text = "kernel " + quoted(view.string(kernel.symbol)) + ": " +
                     counted(kernel.tileCount, "tile") + ", " +
                     counted(kernel.operandCount, "operand") + ", " +
                     counted(kernel.scratchBytes, "byte") + " of scratch\n";
  for (const AccessEntry &access :
       view.accesses().subspan(kernel.firstAccess, kernel.accessCount))
    appendIndented(text, printAccess(access, view.accessCode()));
  return text;
}

static std::string operandText(const PackageView &view, OperandRef ref) {
  auto place = [&]() -> std::string {
    switch (ref.space()) {
    case Space::Arena:
      return "arena";
    case Space::Weights:
      return "weights";
    case Space::State:
      return "state";
    case Space::Input:
      return "input " + quoted(view.string(view.inputs()[ref.index()].name));
    case Space::Output:
      return "output " + quoted(view.string(view.outputs()[ref.index()].name));
    }
    return "unknown space";
  };
  return place() + " + " + std::to_string(ref.offset());
}

static std::string tilesText(const Record &record) {
  if (record.tileCount == 0)
    return "no tiles";
  uint64_t last =
      record.tileStart + uint64_t(record.tileCount - 1) * record.tileStride;
  std::string text = "tile " + std::to_string(record.tileStart);
  if (record.tileCount > 1)
    text = "tiles " + std::to_string(record.tileStart) + " to " +
           std::to_string(last);
  if (record.tileCount > 1 && record.tileStride != 1)
    text += " by " + std::to_string(record.tileStride);
  return text;
}

static const char *opcodeText(Opcode opcode) {
  switch (opcode) {
  case Opcode::Run:
    return "run";
  case Opcode::Loop:
    return "loop";
  case Opcode::Claim:
    return "claim";
  }
  return "unknown";
}

static std::string parameterText(ParameterSlot parameter) {
  switch (parameter.kind()) {
  case ParameterSlot::Kind::None:
    return {};
  case ParameterSlot::Kind::Predicate:
    return ", if parameter " + std::to_string(parameter.slot());
  case ParameterSlot::Kind::Extent:
    return ", below parameter " + std::to_string(parameter.slot());
  }
  return {};
}

static const char *handoffText(Handoff handoff) {
  switch (handoff) {
  case Handoff::Counter:
    return "";
  case Handoff::FlagInData:
    return " (flag in data)";
  case Handoff::Page:
    return " (page)";
  }
  return " (unknown hand-off)";
}

static std::string recordText(const PackageView &view, uint32_t r) {
  const Record &record = view.records()[r];
  const DispatchInfo &dispatch = view.dispatches()[view.recordDispatch()[r]];
  std::string text =
      "  record " + std::to_string(r) + ": rank " +
      std::to_string(record.rank) + ", " + opcodeText(record.opcode) + " " +
      quoted(view.string(view.kernels()[record.kernel].symbol)) + ", " +
      tilesText(record) + parameterText(ParameterSlot(record.parameter)) +
      ", node " + quoted(view.string(dispatch.name)) + "\n";
  for (unsigned i = 0; i < record.operandCount; ++i)
    text += "    operand " + std::to_string(i) + ": " +
            operandText(view, view.operand(record, i)) +
            (i < kInlineOperands ? handoffText(record.handoff[i]) : "") + "\n";
  for (const Wait &wait : std::span(record.waits, record.waitCount))
    text += "    waits for counter " + std::to_string(wait.counter) +
            " to reach " + std::to_string(wait.target) + "\n";
  for (const Signal &signal : std::span(record.signals, record.signalCount))
    text += "    adds " + std::to_string(signal.amount) + " to counter " +
            std::to_string(signal.counter) + "\n";
  return text;
}

void mkrt::format::printSchedule(
    const PackageView &view,
    const std::function<void(std::string_view)> &write) {
  for (uint32_t k = 0; k < view.kernels().size(); ++k)
    write(kernelText(view, k));
  std::span<const uint32_t> starts = view.queueStarts();
  for (uint32_t q = 0; q + 1 < starts.size(); ++q) {
    if (starts[q] == starts[q + 1])
      continue;
    write("queue " + std::to_string(q) + "\n");
    for (uint32_t r = starts[q]; r < starts[q + 1]; ++r)
      write(recordText(view, r));
  }
}
