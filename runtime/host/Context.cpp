//===- Context.cpp - The memory and the workers of one user ---------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Context.h"

#include "runtime/host/Cpu.h"
#include "runtime/host/Worker.h"

#include <algorithm>
#include <cstring>

using namespace mkrt::host;
using namespace mkrt::format;

static constexpr uint64_t kOperandAlignment = 64;
/// Virtual queues per thread: a thread that the system deschedules holds up one
/// queue of several.
static constexpr unsigned kQueuesPerThread = 8;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Error Context::create(std::shared_ptr<const Program> program,
                      std::unique_ptr<Context> &out) {
  std::unique_ptr<Context> context(new Context(std::move(program)));
  try {
    if (Error error = context->allocate())
      return error;
  } catch (...) {
    return currentException();
  }
  out = std::move(context);
  return {};
}

Error Context::allocate() {
  const PackageView &view = program_->view();
  const ProgramInfo &info = view.program();
  if (Error error = Mapping::allocate(info.arenaBytes, "the arena", arena_))
    return error;
  if (Error error = Mapping::allocate(info.stateBytes, "the state", state_))
    return error;
  counters_.reset(new Counter[2 * size_t(info.counterCount)]());
  parameters_.assign(info.parameterCount, 0);
  ports_.resize(view.ports().size());
  for (size_t i = 0; i < ports_.size(); ++i) {
    ports_[i].bytes = view.ports()[i].bytes;
    ports_[i].name = view.string(view.ports()[i].name);
  }
  patchOperands();
  return {};
}

static uint64_t address(const void *p) { return reinterpret_cast<uint64_t>(p); }

/// Replaces references by addresses; those of ports follow in `preparePorts`.
void Context::patchOperands() {
  const PackageView &view = program_->view();
  uint64_t bases[kNumSpaces] = {address(arena_.data()),
                                address(view.weights().data()),
                                address(state_.data()), 0, 0};
  operandStart_.reserve(view.records().size());
  for (const Record &record : view.records()) {
    operandStart_.push_back(operands_.size());
    for (unsigned i = 0; i < record.operandCount; ++i) {
      OperandRef ref = view.operand(record, i);
      bool isInput = ref.space() == Space::Input;
      if (isInput || ref.space() == Space::Output) {
        uint32_t port = ref.index() + (isInput ? 0 : view.program().inputCount);
        portOperands_.push_back({operands_.size(), port, ref.offset()});
      }
      operands_.push_back(bases[unsigned(ref.space())] + ref.offset());
    }
  }
}

//===----------------------------------------------------------------------===//
// Ports and parameters
//===----------------------------------------------------------------------===//

Error Context::bind(size_t port, uint32_t index, uint32_t count,
                    const char *kind, void *data) {
  if (index >= count)
    return {ErrorCode::InvalidArgument,
            std::string(kind) + " " + std::to_string(index) +
                " does not exist: the program has " + std::to_string(count)};
  ports_[port].bound = static_cast<std::byte *>(data);
  portsArePlaced_ = false;
  return {};
}

Error Context::bindInput(uint32_t index, const void *data) {
  return bind(index, index, program_->view().program().inputCount, "input",
              const_cast<void *>(data));
}

Error Context::bindOutput(uint32_t index, void *data) {
  const ProgramInfo &info = program_->view().program();
  return bind(size_t(info.inputCount) + index, index, info.outputCount,
              "output", data);
}

std::byte *Context::ownBuffer(size_t port) {
  Port &p = ports_[port];
  // A port without bytes has an address too.
  if (!p.own.data() && Mapping::allocate(std::max<uint64_t>(p.bytes, 1),
                                         "port '" + p.name + "'", p.own))
    return nullptr;
  return p.own.data();
}

std::byte *Context::inputBuffer(uint32_t index) {
  return index < program_->view().program().inputCount ? ownBuffer(index)
                                                       : nullptr;
}

std::byte *Context::outputBuffer(uint32_t index) {
  const ProgramInfo &info = program_->view().program();
  return index < info.outputCount ? ownBuffer(size_t(info.inputCount) + index)
                                  : nullptr;
}

Error Context::setParameter(uint32_t slot, int64_t value) {
  if (slot >= parameters_.size())
    return {ErrorCode::InvalidArgument,
            "parameter " + std::to_string(slot) +
                " does not exist: the program has " +
                std::to_string(parameters_.size())};
  parameters_[slot] = value;
  return {};
}

void Context::resetState() {
  if (state_.data())
    std::memset(state_.data(), 0, state_.size());
}

/// The outputs with bytes, by address.
Error Context::sortOutputs(std::vector<const Port *> &sorted) const {
  for (size_t i = program_->view().program().inputCount; i < ports_.size(); ++i)
    if (ports_[i].bytes)
      sorted.push_back(&ports_[i]);
  std::sort(sorted.begin(), sorted.end(), [](const Port *a, const Port *b) {
    return address(a->memory()) < address(b->memory());
  });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (address(sorted[i]->memory()) <
        address(sorted[i - 1]->memory()) + sorted[i - 1]->bytes)
      return {ErrorCode::InvalidArgument,
              "the memory of output '" + sorted[i]->name +
                  "' overlaps that of output '" + sorted[i - 1]->name + "'"};
  return {};
}

Error Context::placePort(Port &port, bool inPlace) {
  port.used = port.memory();
  if (inPlace && address(port.used) % kOperandAlignment == 0)
    return {};
  if (!port.copy.data())
    if (Error error =
            Mapping::allocate(std::max<uint64_t>(port.bytes, 1),
                              "a copy of '" + port.name + "'", port.copy))
      return error;
  port.used = port.copy.data();
  return {};
}

/// Chooses the memory that runs use for each port. The proof of a schedule
/// takes each input and output as an allocation of its own.
Error Context::placePorts() {
  for (size_t i = 0; i < ports_.size(); ++i)
    if (!ports_[i].bound && !ownBuffer(i))
      return {ErrorCode::OutOfMemory,
              "cannot allocate " + std::to_string(ports_[i].bytes) +
                  " bytes for '" + ports_[i].name + "'"};
  std::vector<const Port *> outputs;
  if (Error error = sortOutputs(outputs))
    return error;
  size_t inputs = program_->view().program().inputCount;
  for (size_t i = 0; i < ports_.size(); ++i) {
    Port &port = ports_[i];
    bool alone = true;
    if (i < inputs && port.bytes) {
      // The last output that begins before the input's end.
      uint64_t begin = address(port.memory());
      auto behind = std::partition_point(
          outputs.begin(), outputs.end(), [&](const Port *output) {
            return address(output->memory()) < begin + port.bytes;
          });
      alone = behind == outputs.begin() ||
              address(behind[-1]->memory()) + behind[-1]->bytes <= begin;
    }
    if (Error error = placePort(port, alone))
      return error;
  }
  for (const PortOperand &operand : portOperands_)
    operands_[operand.at] = address(ports_[operand.port].used) + operand.offset;
  portsArePlaced_ = true;
  return {};
}

Error Context::preparePorts() {
  if (!portsArePlaced_)
    if (Error error = placePorts())
      return error;
  size_t inputs = program_->view().program().inputCount;
  for (Port &port : std::span(ports_).first(inputs))
    if (port.used != port.memory() && port.bytes)
      std::memcpy(port.used, port.memory(), port.bytes);
  return {};
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

std::span<Counter> Context::bank(unsigned i) {
  size_t count = program_->view().program().counterCount;
  return {counters_.get() + i * count, count};
}

Error Context::prepareWorkers(unsigned threads) {
  const ProgramInfo &info = program_->view().program();
  if (threads == 0)
    threads = availableCpus();
  unsigned queues = std::max(info.queueCount, 1u);
  threads = std::min(threads, queues);
  if (threads == workerCount_)
    return {};
  workerCount_ = 0;
  if (Error error = pool_.resize(threads))
    return error;
  uint64_t stride = (info.scratchBytes + kOperandAlignment - 1) /
                    kOperandAlignment * kOperandAlignment;
  scratch_ = Mapping();
  if (Error error =
          Mapping::allocate(stride * threads, "the workers' scratch", scratch_))
    return error;
  workers_ = std::vector<WorkerState>(threads);
  for (unsigned w = 0; w < threads; ++w)
    workers_[w].env.scratch = scratch_.data() + w * stride;
  // One worker walks all records in rank order.
  unsigned virtualQueues =
      threads == 1 ? 1
                   : unsigned(std::min<uint64_t>(
                         queues, uint64_t(kQueuesPerThread) * threads));
  fold_ = foldQueues(program_->view(), program_->recordOfRank(), virtualQueues);
  queues_ = std::vector<QueueHead>(virtualQueues);
  workerCount_ = threads;
  return {};
}

Error Context::run(const RunOptions &options) {
  if (busy_.exchange(true))
    return {ErrorCode::Busy, "another thread is running this context"};
  struct Release {
    std::atomic<bool> &busy;
    ~Release() { busy.store(false); }
  } release{busy_};
  try {
    return execute(options);
  } catch (...) {
    clearCounters();
    return currentException();
  }
}

Error Context::execute(const RunOptions &options) {
  if (options.stallLimit.count() <= 0)
    return {ErrorCode::InvalidArgument, "the stall limit must be positive"};
  if (Error error = preparePorts())
    return error;
  if (Error error = prepareWorkers(options.threads))
    return error;
  RunState run;
  run.program = program_.get();
  run.fold = &fold_;
  run.operands = operands_.data();
  run.operandStart = operandStart_.data();
  run.parameters = parameters_;
  run.counters = bank(runs_ % 2);
  run.nextBank = bank((runs_ + 1) % 2);
  run.queues = queues_;
  run.workers = workers_;
  run.stallLimit = options.stallLimit;
  run.profile = options.profile;
  for (WorkerState &worker : workers_) {
    worker.env.parameters = parameters_.data();
    worker.env.indexFault = 0;
  }
  uint32_t unfinished = 0;
  for (unsigned v = 0; v < fold_.queueCount(); ++v) {
    queues_[v].owned.store(false);
    queues_[v].next.store(fold_.starts[v]);
    queues_[v].end = fold_.starts[v + 1];
    unfinished += fold_.starts[v] != fold_.starts[v + 1];
  }
  run.unfinishedQueues.store(unfinished);
  ++runs_;
  if (run.profile)
    run.profile->begin(workers_.size(), program_->view().records().size());
  pool_.run([&](unsigned worker) {
    try {
      Worker(run, worker).work();
    } catch (...) {
      run.stop();
      throw;
    }
  });
  if (run.profile)
    run.profile->end();
  return finish(run);
}

Error Context::finish(RunState &run) {
  Error error = run.takeError();
  if (!error)
    error = checkCounters(run.counters);
  if (error) {
    clearCounters();
    return error;
  }
  size_t inputs = program_->view().program().inputCount;
  for (const Port &port : std::span(ports_).subspan(inputs))
    if (port.used != port.memory() && port.bytes)
      std::memcpy(port.memory(), port.used, port.bytes);
  return {};
}

void Context::clearCounters() {
  for (unsigned b : {0u, 1u})
    for (Counter &counter : bank(b))
      counter.store(0);
}

/// Cheap beside the run, so never left out: a kernel that writes where it must
/// not often shows here first.
Error Context::checkCounters(std::span<const Counter> counters) const {
  for (uint32_t c = 0; c < counters.size(); ++c) {
    uint32_t seen = counters[c].load(std::memory_order_relaxed);
    if (seen != program_->counterTotal(c))
      return {ErrorCode::Schedule,
              "counter " + std::to_string(c) + " ended at " +
                  std::to_string(seen) + ", its signals add up to " +
                  std::to_string(program_->counterTotal(c))};
  }
  return {};
}
