//===- BenchCommand.cpp - mkc bench ---------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ours and the peer's runs take turns in short batches, so that a machine that
// slows down slows both. Then the machine's peak is measured, for the floor,
// and some runs are profiled.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/BenchProfile.h"
#include "compiler/driver/Commands.h"
#include "compiler/driver/MachinePeak.h"
#include "compiler/driver/Peer.h"
#include "compiler/driver/Programs.h"
#include "runtime/host/Cpu.h"

#include "nlohmann/json.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

using namespace mkc::driver;
using namespace mkrt::cli;
using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

namespace {

struct Options {
  ModelOptions model;
  RunOptions run;
  std::string path, vs;
  unsigned runs = 0; ///< 0: as many as fit the default time.
  bool profile = false;
};

/// Times of runs in milliseconds.
struct Latencies {
  std::vector<double> ms;

  double at(double share) const {
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    return sorted[std::min(sorted.size() - 1, size_t(share * sorted.size()))];
  }
};

class Bench {
public:
  explicit Bench(const Options &options) : options(options) {}
  ExitCode run();

private:
  ExitCode prepare();
  ExitCode runBatch(unsigned runs, Latencies *latencies);
  ExitCode measure();
  unsigned threads() const;
  double floorMs() const;
  void printText() const;
  void printFloor() const;
  void printJson() const;
  uint64_t bytesPerRun() const;
  ExitCode fail(const std::string &message, ExitCode code) const {
    printError(options.path, message);
    return code;
  }

  const Options &options;
  std::unique_ptr<ProgramSource> source;
  BoundProgram bound;
  std::optional<Peer> peer;
  Latencies ours, theirs;
  MachinePeak peak{};
  BenchProfile profile;
};

} // namespace

static double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

ExitCode Bench::prepare() {
  if (!options.vs.empty() && isPackage(options.path))
    return fail("--vs needs the model, not a package", BadInput);
  ExitCode code = ProgramSource::open(options.path, options.model, source);
  if (code != Success)
    return code;
  TensorMap inputs;
  RunOptions fills;
  std::string error = readGivenInputs(options.run, *source, inputs, fills);
  if (!error.empty())
    return fail(error, BadInput);
  std::shared_ptr<const mkrt::host::Program> program;
  if (code = source->programFor(inputs, fills, program); code != Success)
    return code;
  if (mkrt::host::Error failed =
          BoundProgram::create(program, inputs, fills, bound))
    return fail(failed.message, exitCode(failed));
  if (options.vs.empty())
    return Success;
  peer.emplace();
  error = peer->start(options.vs, options.path, options.run.threads);
  if (error.empty())
    error = peer->setInputs(bound);
  return error.empty() ? Success : fail(error, RunFailed);
}

/// Runs both engines; without `latencies`, to warm up.
ExitCode Bench::runBatch(unsigned runs, Latencies *latencies) {
  for (unsigned i = 0; i < runs; ++i) {
    Clock::time_point start = Clock::now();
    if (mkrt::host::Error failed = bound.run(options.run.threads))
      return fail(failed.message, exitCode(failed));
    if (latencies)
      latencies->ms.push_back(since(start));
  }
  if (!peer)
    return Success;
  std::vector<double> ignored;
  std::string error = peer->run(runs, latencies ? theirs.ms : ignored);
  return error.empty() ? Success : fail(error, RunFailed);
}

ExitCode Bench::measure() {
  constexpr double warmUpMs = 200, defaultMs = 3000;
  constexpr unsigned batch = 5, fewestRuns = 10;
  Clock::time_point start = Clock::now();
  do {
    if (ExitCode code = runBatch(1, nullptr); code != Success)
      return code;
  } while (since(start) < warmUpMs);

  start = Clock::now();
  auto isDone = [&] {
    return options.runs
               ? ours.ms.size() >= options.runs
               : ours.ms.size() >= fewestRuns && since(start) >= defaultMs;
  };
  while (!isDone()) {
    unsigned left = options.runs ? options.runs - ours.ms.size() : batch;
    if (ExitCode code = runBatch(std::min(left, batch), &ours); code != Success)
      return code;
  }
  peak = measureMachinePeak(threads(), bytesPerRun());
  if (mkrt::host::Error failed = profile.measure(bound, options.run.threads))
    return fail(failed.message, exitCode(failed));
  return Success;
}

/// Those that a run uses: at most one per queue.
unsigned Bench::threads() const {
  unsigned wanted =
      options.run.threads ? options.run.threads : mkrt::host::availableCpus();
  return std::clamp(wanted, 1u,
                    std::max(1u, bound.view().program().queueCount));
}

/// No schedule can be faster on this machine: each byte is moved once, and
/// contractions run at the FMA peak.
double Bench::floorMs() const {
  return 1e3 * std::max(bytesPerRun() / peak.bytesPerSecond,
                        source->work().contractions / peak.flopsPerSecond);
}

/// What a run reads and writes at least: weights, inputs and outputs.
uint64_t Bench::bytesPerRun() const {
  uint64_t bytes = bound.view().weights().size();
  for (const mkrt::format::PortInfo &port : bound.view().ports())
    bytes += port.bytes;
  return bytes;
}

void Bench::printText() const {
  auto line = [](const std::string &name, const Latencies &latencies) {
    std::printf("%s: min %.3f ms, median %.3f ms, p99 %.3f ms (%zu runs)\n",
                name.c_str(), latencies.at(0), latencies.at(0.5),
                latencies.at(0.99), latencies.ms.size());
  };
  line("mkc", ours);
  double seconds = ours.at(0.5) / 1e3;
  if (uint64_t flops = source->work().contractions)
    std::printf("%.2f GFLOP/s, ", flops / seconds / 1e9);
  std::printf("%.2f GB/s of weights, inputs and outputs\n",
              bytesPerRun() / seconds / 1e9);
  printFloor();
  if (peer) {
    line(peer->version(), theirs);
    std::printf("%.2f times as fast as %s\n", theirs.at(0.5) / ours.at(0.5),
                peer->version().c_str());
  }
  if (options.profile)
    profile.printKernels(source->work());
}

void Bench::printFloor() const {
  std::printf("%.1f %% of the floor: %.3f ms at %.1f GB/s and %.1f GFLOP/s, "
              "measured on %u threads\n",
              100 * floorMs() / ours.at(0.5), floorMs(),
              peak.bytesPerSecond / 1e9, peak.flopsPerSecond / 1e9, threads());
  std::printf("%.0f ns per record and %.0f ns per task outside kernels, "
              "waiting included; %.1f %% of the time in kernels\n",
              profile.overheadPerRecord(), profile.overheadPerTask(),
              100 * profile.kernelShare());
}

static ordered_json toJson(const Latencies &latencies) {
  return {{"min", latencies.at(0)},
          {"median", latencies.at(0.5)},
          {"p99", latencies.at(0.99)}};
}

void Bench::printJson() const {
  double seconds = ours.at(0.5) / 1e3;
  ordered_json result;
  result["latency_ms"] = toJson(ours);
  result["threads"] = threads();
  if (uint64_t flops = source->work().contractions)
    result["gflops"] = flops / seconds / 1e9;
  result["gbps"] = bytesPerRun() / seconds / 1e9;
  if (peer) {
    result["ratio"] = theirs.at(0.5) / ours.at(0.5);
    result["peer"] = {{"name", peer->version()},
                      {"latency_ms", toJson(theirs)}};
  }
  result["floor"] = {{"ms", floorMs()},
                     {"share", floorMs() / ours.at(0.5)},
                     {"gbps", peak.bytesPerSecond / 1e9},
                     {"gflops", peak.flopsPerSecond / 1e9}};
  result["overhead_ns"] = {{"per_record", profile.overheadPerRecord()},
                           {"per_task", profile.overheadPerTask()}};
  result["kernel_share"] = profile.kernelShare();
  if (options.profile)
    result["kernels"] = profile.kernelsToJson(source->work());
  std::puts(
      result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
          .c_str());
}

ExitCode Bench::run() {
  if (ExitCode code = prepare(); code != Success) {
    if (options.run.json && source && !source->unsupported().empty())
      printUnsupported(source->unsupported());
    return code;
  }
  if (ExitCode code = measure(); code != Success)
    return code;
  options.run.json ? printJson() : printText();
  return Success;
}

void mkc::driver::addBenchCommand(CLI::App &app, ExitCode &result) {
  auto options = std::make_shared<Options>();
  CLI::App *command =
      app.add_subcommand("bench", "Measures the latency of a model");
  command->footer("Example:\n  mkc bench model.onnx --dim batch=1 "
                  "--vs=onnxruntime");
  addModelArgument(*command, options->path);
  command->add_option("--inputs", options->run.inputsFile, "Inputs by name")
      ->type_name("CASE.npz");
  command
      ->add_option("--input", options->run.inputs, "One input, as in mkc run")
      ->type_name("NAME=WHAT")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--runs", options->runs,
                   "How often to run (default: for three seconds)")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 30));
  command->add_option("--vs", options->vs, "Measure a peer in turns with ours")
      ->check(CLI::IsMember({"onnxruntime", "openvino"}));
  command->add_option("--threads", options->run.threads, "Threads of the runs")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 16));
  command->add_flag("--profile", options->profile,
                    "List the kernels with their nodes and times");
  command->add_flag("--json", options->run.json, "Print results as JSON");
  addModelOptions(*command, options->model);
  command->callback([options, &result] { result = Bench(*options).run(); });
}
