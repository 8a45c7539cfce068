//===- Context.h - The memory and the workers of one user -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/host/Profile.h"
#include "runtime/host/Program.h"
#include "runtime/host/RunState.h"
#include "runtime/host/WorkerPool.h"

#include <chrono>

namespace mkrt::host {

struct RunOptions {
  unsigned threads = 0; ///< 0: the CPUs that affinity and cgroups allow.
  /// A run in which no worker finishes a tile for this long ends in an error. A
  /// kernel that is running can not be interrupted: the run ends after it.
  std::chrono::milliseconds stallLimit{60000};
  /// Takes the times of the run's records.
  Profile *profile = nullptr;
};

/// A program's arena, state, counters, buffers and worker threads. Contexts of
/// one program are independent. One thread at a time may use a context; a
/// second concurrent `run` is refused.
class Context {
public:
  static Error create(std::shared_ptr<const Program> program,
                      std::unique_ptr<Context> &out);

  const Program &program() const { return *program_; }

  /// Binds the caller's memory, which must hold the port's bytes (nobody can
  /// check that) and outlive the runs that use it. Memory aligned to 64 is used
  /// in place, other memory is copied at each run. Null returns to the
  /// context's own buffer. An input whose memory an output overlaps is copied
  /// too, so that a run reads inputs as they were; outputs must not overlap
  /// each other: `run` refuses that.
  Error bindInput(uint32_t index, const void *data);
  Error bindOutput(uint32_t index, void *data);
  /// The context's own buffer of a port (allocated at first use, zeroed); used
  /// while nothing is bound. Null if the index or the memory is lacking.
  std::byte *inputBuffer(uint32_t index);
  std::byte *outputBuffer(uint32_t index);
  /// Sets an entry of the parameter table; all are 0 at first.
  Error setParameter(uint32_t slot, int64_t value);
  /// Zeroes the state, as it is at first.
  void resetState();

  /// Runs the program once. After an error, outputs, arena and state hold
  /// anything, and the context can run again. May throw std::bad_alloc where
  /// there is no memory for an error's text; the context can run then, too.
  Error run(const RunOptions &options);

private:
  struct Port {
    std::byte *bound = nullptr;
    std::byte *used = nullptr; ///< In runs: `memory` or the copy.
    Mapping own;               ///< The user's while nothing is bound.
    Mapping copy;              ///< Where the memory cannot be used in place.
    uint64_t bytes = 0;
    std::string name;
    /// What the user sees.
    std::byte *memory() const { return bound ? bound : own.data(); }
  };
  /// An operand that names a port: patched again when the port's memory
  /// changes.
  struct PortOperand {
    uint64_t at; ///< In operands_.
    uint32_t port;
    uint64_t offset;
  };

  explicit Context(std::shared_ptr<const Program> program)
      : program_(std::move(program)) {}
  Error allocate();
  void patchOperands();
  Error bind(size_t port, uint32_t index, uint32_t count, const char *kind,
             void *data);
  std::byte *ownBuffer(size_t port);
  Error preparePorts();
  Error placePorts();
  Error placePort(Port &port, bool inPlace);
  Error sortOutputs(std::vector<const Port *> &sorted) const;
  Error prepareWorkers(unsigned threads);
  Error execute(const RunOptions &options);
  Error finish(RunState &run);
  void clearCounters();
  Error checkCounters(std::span<const Counter> counters) const;
  std::span<Counter> bank(unsigned i);

  std::shared_ptr<const Program> program_;
  Mapping arena_, state_, scratch_;
  std::vector<Port> ports_;     ///< Inputs, then outputs.
  bool portsArePlaced_ = false; ///< Since the last change of a binding.
  std::vector<uint64_t> operands_, operandStart_;
  std::vector<PortOperand> portOperands_;
  std::vector<int64_t> parameters_;
  std::unique_ptr<Counter[]> counters_; ///< Two banks.
  uint64_t runs_ = 0;

  unsigned workerCount_ =
      0; ///< What fold_, scratch_ and the pool are made for.
  Fold fold_;
  std::vector<WorkerState> workers_;
  std::vector<QueueHead> queues_;
  WorkerPool pool_;
  std::atomic<bool> busy_{false};
};

} // namespace mkrt::host
