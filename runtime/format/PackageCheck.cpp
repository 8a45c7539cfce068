//===- PackageCheck.cpp - Checks of a package's content -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/PackageCheck.h"

using namespace mkrt::format;

namespace {
/// What a check is about. Made into text only when the check fails: there are
/// many checks for each of up to millions of records.
struct Subject {
  const char *what;
  std::optional<size_t> index;
  const char *field = "";
  std::optional<size_t> part; ///< Number of an operand or access.
  const char *partField = "";

  Subject(const char *what) : what(what) {}
  Subject(const char *what, size_t index) : what(what), index(index) {}
  Subject(const char *what, size_t index, const char *field, size_t part)
      : what(what), index(index), field(field), part(part) {}

  std::string text() const {
    std::string text = what;
    if (index)
      text += " " + std::to_string(*index);
    text += field;
    if (part)
      text += " " + std::to_string(*part);
    return text + partField;
  }
};

/// Names a field of the subject.
Subject operator+(Subject subject, const char *name) {
  (subject.part ? subject.partField : subject.field) = name;
  return subject;
}

std::string operator+(const Subject &subject, const std::string &text) {
  return subject.text() + text;
}

/// Runs the checks in an order in which each may rely on those before it. The
/// first failure is kept.
class ContentChecker {
public:
  explicit ContentChecker(const PackageView &view)
      : view_(view), program_(view.program()) {}

  std::string run() {
    checkProgram() && checkPorts() && checkKernels() && checkDispatches() &&
        checkQueues() && checkRecords();
    return std::move(error_);
  }

private:
  bool checkProgram();
  bool checkPorts();
  bool checkPort(size_t i);
  bool checkKernels();
  bool checkKernel(size_t k);
  bool checkDims();
  bool checkAccess(size_t k, size_t a);
  bool checkDispatches();
  bool checkQueues();
  bool checkRecords();
  bool checkRecord(size_t r);
  bool checkTiles(size_t r);
  bool checkCounters(size_t r);
  bool checkOperands(size_t r);
  bool checkOperand(size_t r, unsigned i);

  bool validString(StringRef ref) const {
    return uint64_t(ref.offset) + ref.length <= view_.strings().size();
  }

  bool fail(std::string text) {
    error_ = std::move(text);
    return false;
  }
  bool fail(const Subject &subject) { return fail(subject.text()); }
  /// `subject` has `value` where at most `limit` (exclusive) is allowed.
  bool below(uint64_t value, uint64_t limit, const Subject &subject) {
    if (value < limit)
      return true;
    return fail(subject.text() + " is " + std::to_string(value) +
                ", it must be less than " + std::to_string(limit));
  }
  bool equal(uint64_t value, uint64_t expected, const Subject &subject) {
    if (value == expected)
      return true;
    return fail(subject.text() + " is " + std::to_string(value) +
                ", expected " + std::to_string(expected));
  }

  const PackageView &view_;
  const ProgramInfo &program_;
  std::vector<uint32_t> runEnds_; ///< Of access code.
  std::string error_;
};
} // namespace

bool ContentChecker::checkProgram() {
  constexpr uint64_t kLimit = OperandRef::kMaxOffset + 1;
  return below(program_.arenaBytes, kLimit, {"arena size"}) &&
         below(program_.stateBytes, kLimit, {"state size"}) &&
         below(program_.scratchBytes, kLimit, {"scratch size"}) &&
         below(view_.weights().size(), kLimit, {"weight size"}) &&
         below(program_.inputCount, 1u << 16, {"number of inputs"}) &&
         below(program_.outputCount, 1u << 16, {"number of outputs"}) &&
         below(program_.parameterCount, ParameterSlot::kMaxSlot + 2u,
               "number of parameters") &&
         below(view_.records().size(), UINT32_MAX, {"number of records"}) &&
         // A counter that no record signals serves nobody; so what readers
         // allocate by the number of counters stays in proportion to the file.
         below(program_.counterCount, kMaxSignals * view_.records().size() + 1,
               "number of counters");
}

bool ContentChecker::checkPorts() {
  if (!equal(view_.ports().size(),
             uint64_t(program_.inputCount) + program_.outputCount,
             "number of ports"))
    return false;
  for (size_t i = 0; i < view_.ports().size(); ++i)
    if (!checkPort(i))
      return false;
  return true;
}

bool ContentChecker::checkPort(size_t i) {
  const PortInfo &port = view_.ports()[i];
  Subject subject{"port", i};
  if (!validString(port.name))
    return fail(subject + " has a name outside the strings");
  if (uint64_t(port.firstDim) + port.rank > view_.dims().size())
    return fail(subject + " has dims [" + std::to_string(port.firstDim) +
                ", +" + std::to_string(port.rank) + ") of " +
                std::to_string(view_.dims().size()));
  if (!elementBits(port.type))
    return fail(subject + " has element type " + std::to_string(port.type) +
                ", which has no size");
  std::optional<uint64_t> bytes = tensorBytes(port.type, view_.shape(port));
  if (!bytes)
    return fail(subject + " has a shape that is negative or too large");
  return equal(port.bytes, *bytes, subject + ": size in bytes") &&
         below(port.bytes, OperandRef::kMaxOffset + 1,
               subject + ": size in bytes");
}

bool ContentChecker::checkKernels() {
  runEnds_ = validRunEnds(view_.accessCode());
  uint64_t firstAccess = 0;
  for (size_t k = 0; k < view_.kernels().size(); ++k) {
    // Kernels share no accesses: each access is checked once.
    const KernelInfo &kernel = view_.kernels()[k];
    if (!equal(kernel.firstAccess, firstAccess,
               Subject{"kernel", k} + ": first access") ||
        !checkKernel(k))
      return false;
    firstAccess += kernel.accessCount;
  }
  return equal(view_.accesses().size(), firstAccess,
               {"number of the kernels' accesses"}) &&
         checkDims();
}

/// Of all code: accesses share it.
bool ContentChecker::checkDims() {
  for (size_t i = 0; i < view_.accessCode().size(); ++i) {
    const AccessInstr &instr = view_.accessCode()[i];
    if (instr.op == AccessOp::Dim &&
        !below(uint64_t(instr.imm), program_.dimCount,
               Subject{"access instruction", i} + ": dim"))
      return false;
  }
  return true;
}

bool ContentChecker::checkKernel(size_t k) {
  const KernelInfo &kernel = view_.kernels()[k];
  if (!validString(kernel.symbol))
    return fail(Subject{"kernel", k} + " has a symbol outside the strings");
  if (uint64_t(kernel.firstAccess) + kernel.accessCount >
      view_.accesses().size())
    return fail(Subject{"kernel", k} + " has accesses [" +
                std::to_string(kernel.firstAccess) + ", +" +
                std::to_string(kernel.accessCount) + ") of " +
                std::to_string(view_.accesses().size()));
  if (kernel.operandCount > UINT8_MAX)
    return fail(Subject{"kernel", k} + " has " +
                std::to_string(kernel.operandCount) +
                " operands, a record holds at most 255");
  if (kernel.scratchBytes > program_.scratchBytes)
    return fail(Subject{"kernel", k} + " needs " +
                std::to_string(kernel.scratchBytes) +
                " bytes of scratch, the program has " +
                std::to_string(program_.scratchBytes));
  for (size_t a = 0; a < kernel.accessCount; ++a)
    if (!checkAccess(k, kernel.firstAccess + a))
      return false;
  return true;
}

bool ContentChecker::checkAccess(size_t k, size_t a) {
  const KernelInfo &kernel = view_.kernels()[k];
  const AccessEntry &entry = view_.accesses()[a];
  Subject subject{"kernel", k, ": access", a};
  if (!below(entry.operand, kernel.operandCount, subject + ": operand"))
    return false;
  if (a > kernel.firstAccess && view_.accesses()[a - 1].operand > entry.operand)
    return fail(subject + " is not sorted by operand");
  if (std::string error = validateAccess(entry, view_.accessCode(), runEnds_);
      !error.empty())
    return fail(subject + ": " + error);
  return true;
}

bool ContentChecker::checkDispatches() {
  for (size_t d = 0; d < view_.dispatches().size(); ++d) {
    const DispatchInfo &dispatch = view_.dispatches()[d];
    if (!validString(dispatch.name))
      return fail(Subject{"dispatch", d} + " has a name outside the strings");
    if (!below(dispatch.kernel, view_.kernels().size(),
               Subject{"dispatch", d} + ": kernel"))
      return false;
  }
  return true;
}

bool ContentChecker::checkQueues() {
  std::span<const uint32_t> starts = view_.queueStarts();
  if (!equal(starts.size(), uint64_t(program_.queueCount) + 1,
             "number of queue starts") ||
      !equal(starts.front(), 0, {"start of queue 0"}) ||
      !equal(starts.back(), view_.records().size(), {"end of the last queue"}))
    return false;
  for (size_t q = 1; q < starts.size(); ++q)
    if (starts[q] < starts[q - 1])
      return fail(Subject{"queue", q - 1} + " ends at " +
                  std::to_string(starts[q]) + ", before its start " +
                  std::to_string(starts[q - 1]));
  return true;
}

bool ContentChecker::checkRecords() {
  size_t count = view_.records().size();
  if (!equal(view_.recordDispatch().size(), count,
             "number of record dispatches"))
    return false;
  std::vector<bool> rankSeen(count);
  for (size_t r = 0; r < count; ++r) {
    uint32_t rank = view_.records()[r].rank;
    if (!checkRecord(r) || !below(rank, count, Subject{"record", r} + ": rank"))
      return false;
    if (rankSeen[rank])
      return fail(Subject{"record", r} + ": another record has its rank " +
                  std::to_string(rank));
    rankSeen[rank] = true;
  }
  return true;
}

bool ContentChecker::checkRecord(size_t r) {
  const Record &record = view_.records()[r];
  Subject subject{"record", r};
  if (record.opcode < Opcode::Run || record.opcode > Opcode::Claim)
    return fail(subject + " has unknown opcode " +
                std::to_string(unsigned(record.opcode)));
  if (!below(record.kernel, view_.kernels().size(), subject + ": kernel") ||
      !below(view_.recordDispatch()[r], view_.dispatches().size(),
             subject + ": dispatch") ||
      !equal(record.kernel,
             view_.dispatches()[view_.recordDispatch()[r]].kernel,
             subject + ": kernel"))
    return false;
  for (Handoff handoff : record.handoff)
    if (handoff > Handoff::Page)
      return fail(subject + " has unknown hand-off kind " +
                  std::to_string(unsigned(handoff)));
  return checkTiles(r) && checkCounters(r) && checkOperands(r);
}

bool ContentChecker::checkTiles(size_t r) {
  const Record &record = view_.records()[r];
  uint32_t grid = view_.kernels()[record.kernel].tileCount;
  Subject subject{"record", r};
  if (record.tileCount > 1 && record.tileStride == 0)
    return fail(subject + " repeats tile " + std::to_string(record.tileStart));
  // 32-bit factors: no overflow in 64 bits.
  uint64_t last = record.tileStart;
  if (record.tileCount)
    last += uint64_t(record.tileCount - 1) * record.tileStride;
  if (record.tileCount && !below(last, grid, subject + ": last tile"))
    return false;
  ParameterSlot parameter(record.parameter);
  if (parameter.rawKind() == 0)
    return equal(record.parameter, 0, subject + ": unused parameter slot");
  if (parameter.rawKind() > unsigned(ParameterSlot::Kind::Extent))
    return fail(subject + " has unknown parameter kind " +
                std::to_string(parameter.rawKind()));
  return below(parameter.slot(), program_.parameterCount,
               subject + ": parameter");
}

bool ContentChecker::checkCounters(size_t r) {
  const Record &record = view_.records()[r];
  Subject subject{"record", r};
  if (!below(record.waitCount, kMaxWaits + 1, subject + ": number of waits") ||
      !below(record.signalCount, kMaxSignals + 1,
             subject + ": number of signals"))
    return false;
  for (unsigned i = 0; i < record.waitCount; ++i)
    if (!below(record.waits[i].counter, program_.counterCount,
               subject + ": counter of a wait"))
      return false;
  for (unsigned i = 0; i < record.signalCount; ++i)
    if (!below(record.signals[i].counter, program_.counterCount,
               subject + ": counter of a signal"))
      return false;
  return true;
}

bool ContentChecker::checkOperands(size_t r) {
  const Record &record = view_.records()[r];
  Subject subject{"record", r};
  if (!equal(record.operandCount, view_.kernels()[record.kernel].operandCount,
             subject + ": number of operands"))
    return false;
  if (record.operandCount > kInlineOperands) {
    uint64_t first = record.operands[kInlineOperands - 1];
    uint64_t count = record.operandCount - (kInlineOperands - 1);
    uint64_t size = view_.operandTable().size();
    if (first > size || count > size - first)
      return fail(subject + " has operands [" + std::to_string(first) + ", +" +
                  std::to_string(count) + ") of an operand table of " +
                  std::to_string(size));
  }
  for (unsigned i = 0; i < record.operandCount; ++i)
    if (!checkOperand(r, i))
      return false;
  return true;
}

bool ContentChecker::checkOperand(size_t r, unsigned i) {
  OperandRef ref = view_.operand(view_.records()[r], i);
  Subject subject{"record", r, ": operand", i};
  if (ref.rawSpace() >= kNumSpaces)
    return fail(subject + " lies in unknown space " +
                std::to_string(ref.rawSpace()));
  uint64_t ports = ref.space() == Space::Input    ? program_.inputCount
                   : ref.space() == Space::Output ? program_.outputCount
                                                  : 1;
  // An operand without bytes may lie at the very end.
  return below(ref.index(), ports, subject + ": index") &&
         below(ref.offset(), view_.spaceBytes(ref) + 1, subject + ": offset");
}

std::string mkrt::format::checkContent(const PackageView &view) {
  return ContentChecker(view).run();
}
