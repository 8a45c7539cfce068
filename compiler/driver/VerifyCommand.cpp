//===- VerifyCommand.cpp - mkc verify -------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Cases.h"
#include "compiler/driver/Commands.h"
#include "compiler/driver/Peer.h"
#include "compiler/driver/Programs.h"
#include "runtime/cli/RunOptions.h"
#include "runtime/io/Npy.h"

#include "nlohmann/json.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

using namespace mkc::driver;
using namespace mkrt::cli;
using nlohmann::ordered_json;

namespace {

struct Options {
  ModelOptions model;
  std::string path; ///< A model, a package or a folder.
  RunOptions run;   ///< Inputs, and how often each case runs.
  /// Each case runs with each of these; 0 stands for all that are allowed.
  std::vector<uint32_t> threads = {0};
  std::string expect, vs;
  Tolerances tolerances;
  bool json = false;
};

struct OutputReport {
  std::string name;
  mkrt::io::Comparison comparison;
};

/// Runs cases and compares their outputs.
class Verifier {
public:
  explicit Verifier(Options &options) : options(options) {}
  ExitCode run();

private:
  ExitCode prepare();
  ExitCode collectCases();
  std::string readTensors(const CaseFiles &files, TensorMap &inputs,
                          TensorMap &expected, RunOptions &fills);
  ExitCode runCase(const CaseFiles &files);
  ExitCode runRepeatedly(const std::string &name, BoundProgram &bound);
  ExitCode expectedFromPeer(const BoundProgram &bound, TensorMap &expected);
  ExitCode compare(const std::string &name, const BoundProgram &bound,
                   TensorMap &expected);
  void report(const std::string &name,
              const std::vector<OutputReport> &outputs);
  ExitCode fail(const std::string &message, ExitCode code = BadInput) {
    printError(options.path, message);
    return code;
  }

  Options &options;
  std::string model;
  std::vector<CaseFiles> cases;
  std::unique_ptr<ProgramSource> source;
  std::optional<Peer> peer;
  ordered_json results = ordered_json::array();
  bool allOk = true;
};

} // namespace

/// Tells a folder of cases from a model or package with `--inputs`, `--expect`.
ExitCode Verifier::collectCases() {
  if (llvm::sys::fs::is_directory(options.path)) {
    model = options.path + "/model.onnx";
    if (!options.run.inputsFile.empty() || !options.expect.empty())
      return fail("a folder has its own inputs: --inputs and --expect are for "
                  "models and packages");
    if (std::string error = findCases(options.path, cases); !error.empty())
      return fail(error);
    if (std::string error =
            options.tolerances.read(options.path + "/tolerance.json");
        !error.empty())
      return fail(error);
    return Success;
  }
  model = options.path;
  if (options.vs.empty() && options.expect.empty())
    return fail("nothing to compare with: give --expect CASE.npz or "
                "--vs=onnxruntime");
  cases.push_back({"case", "", {}, {}});
  return Success;
}

ExitCode Verifier::prepare() {
  if (ExitCode code = collectCases(); code != Success)
    return code;
  if (!options.vs.empty()) {
    if (isPackage(model))
      return fail("--vs needs the model, not a package");
    peer.emplace();
    if (std::string error =
            peer->start(options.vs, model, options.threads.front());
        !error.empty())
      return fail(error, RunFailed);
  }
  return ProgramSource::open(model, options.model, source);
}

/// Asks the peer for the outputs for the same inputs.
ExitCode Verifier::expectedFromPeer(const BoundProgram &bound,
                                    TensorMap &expected) {
  std::vector<double> latencies;
  std::string error = peer->setInputs(bound);
  if (error.empty())
    error = peer->run(1, latencies);
  if (error.empty())
    error = peer->readOutputs(expected);
  return error.empty() ? Success : fail(error, RunFailed);
}

/// Reads what a case gives. Outputs that were recorded say nothing about inputs
/// that are made up: where outputs are, all inputs must be given, and the other
/// way round.
std::string Verifier::readTensors(const CaseFiles &files, TensorMap &inputs,
                                  TensorMap &expected, RunOptions &fills) {
  std::vector<std::string> ins = source->inputNames(),
                           outs = source->outputNames();
  bool isRecorded =
      !files.npz.empty() || !files.inputs.empty() || !files.outputs.empty();
  std::string from = "case '" + files.name + "'", error;
  if (isRecorded)
    error = readCase(files, ins, outs, inputs, expected);
  else
    error = readGivenInputs(options.run, *source, inputs, fills);
  if (error.empty() && !options.expect.empty()) {
    from = options.expect;
    TensorMap ignored;
    error = readCase({"", from, {}, {}}, ins, outs, ignored, expected);
  }
  if (!error.empty() || peer) // the peer gets the same inputs
    return error;
  if (error = missingTensors(from, "output", outs, expected); !error.empty())
    return error;
  std::erase_if(ins, [&](const std::string &name) {
    return llvm::any_of(fills.inputs, [&](const std::string &spec) {
      return llvm::StringRef(spec).starts_with(name + "=");
    });
  });
  return missingTensors(isRecorded ? from : "the command line", "input", ins,
                        inputs);
}

ExitCode Verifier::runCase(const CaseFiles &files) {
  TensorMap inputs, expected;
  RunOptions fills;
  std::string error = readTensors(files, inputs, expected, fills);
  if (!error.empty())
    return fail(error);

  std::shared_ptr<const mkrt::host::Program> program;
  if (ExitCode code = source->programFor(inputs, fills, program);
      code != Success)
    return code;
  BoundProgram bound;
  if (mkrt::host::Error failed =
          BoundProgram::create(program, inputs, fills, bound))
    return fail(failed.message, exitCode(failed));
  if (ExitCode code = runRepeatedly(files.name, bound); code != Success)
    return code;
  if (peer) {
    expected.clear();
    if (ExitCode code = expectedFromPeer(bound, expected); code != Success)
      return code;
  }
  return compare(files.name, bound, expected);
}

/// Results are the same bits for any number of threads and in every run: what
/// differs is reported with its output.
ExitCode Verifier::runRepeatedly(const std::string &name, BoundProgram &bound) {
  std::vector<std::vector<std::byte>> first;
  for (uint32_t threads : options.threads)
    for (uint32_t run = 0; run < options.run.runs; ++run) {
      if (mkrt::host::Error failed = bound.run(threads))
        return fail(failed.message, exitCode(failed));
      for (size_t i = 0; i < bound.outputs().size(); ++i) {
        std::span<const std::byte> bytes = bound.outputs()[i].bytes();
        if (first.size() <= i)
          first.emplace_back(bytes.begin(), bytes.end());
        else if (!std::ranges::equal(first[i], bytes)) {
          printError(options.path, "case '" + name + "': run " +
                                       std::to_string(run + 1) + " with " +
                                       std::to_string(threads) +
                                       " threads gives other bits of output '" +
                                       bound.outputName(i) + "'");
          allOk = false;
        }
      }
    }
  return Success;
}

ExitCode Verifier::compare(const std::string &name, const BoundProgram &bound,
                           TensorMap &expected) {
  std::vector<OutputReport> reports;
  for (size_t i = 0; i < bound.outputs().size(); ++i) {
    const mkrt::io::Tensor &actual = bound.outputs()[i];
    std::string output = bound.outputName(i);
    auto found = expected.find(output);
    if (found == expected.end()) // a peer may name its outputs otherwise
      return fail("case '" + name + "' has no expected output '" + output +
                  "'");
    OutputReport report{output, {}};
    // A type that differs is found by the comparison.
    std::string ignored = mkrt::io::restoreType(found->second, actual.type());
    report.comparison = mkrt::io::compareTensors(
        actual, found->second, options.tolerances.of(output, actual.type()));
    allOk &= report.comparison.ok;
    reports.push_back(std::move(report));
  }
  report(name, reports);
  return Success;
}

/// JSON has no infinity.
static ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

static void printText(const std::string &name, const OutputReport &output) {
  const mkrt::io::Comparison &c = output.comparison;
  std::printf("%s: %s: %s", name.c_str(), output.name.c_str(),
              c.ok ? "ok" : "FAILED");
  if (!c.mismatch.empty()) {
    std::printf(": %s\n", c.mismatch.c_str());
    return;
  }
  std::printf(", max abs %.3g, max rel %.3g", c.maxAbs, c.maxRel);
  if (!c.worstIndex.empty())
    std::printf(", worst at %s: %.9g, expected %.9g",
                mkrt::io::shapeText(c.worstIndex).c_str(), c.worstActual,
                c.worstExpected);
  if (c.mismatches)
    std::printf(", %llu beyond tolerance",
                static_cast<unsigned long long>(c.mismatches));
  std::printf("\n");
}

void Verifier::report(const std::string &name,
                      const std::vector<OutputReport> &outputs) {
  ordered_json list = ordered_json::array();
  bool ok = true;
  for (const OutputReport &output : outputs) {
    const mkrt::io::Comparison &c = output.comparison;
    ok &= c.ok;
    if (!options.json)
      printText(name, output);
    list.push_back({{"name", output.name},
                    {"ok", c.ok},
                    {"max_abs", number(c.maxAbs)},
                    {"max_rel", number(c.maxRel)},
                    {"worst_index", c.worstIndex}});
    if (!c.mismatch.empty())
      list.back()["mismatch"] = c.mismatch;
  }
  results.push_back({{"name", name}, {"ok", ok}, {"outputs", std::move(list)}});
}

ExitCode Verifier::run() {
  if (ExitCode code = prepare(); code != Success) {
    if (options.json && source && !source->unsupported().empty())
      printUnsupported(source->unsupported());
    return code;
  }
  for (const CaseFiles &files : cases)
    if (ExitCode code = runCase(files); code != Success) {
      if (options.json && !source->unsupported().empty())
        printUnsupported(source->unsupported());
      return code;
    }
  if (options.json) {
    ordered_json result = {{"ok", allOk}, {"cases", std::move(results)}};
    std::puts(
        result.dump(-1, ' ', false, ordered_json::error_handler_t::replace)
            .c_str());
  }
  return allOk ? Success : CheckFailed;
}

void mkc::driver::addVerifyCommand(CLI::App &app, ExitCode &result) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand(
      "verify", "Compares outputs with recorded ones or with a peer's");
  command->footer("Example:\n  mkc verify path/to/folder-with-model-and-cases\n"
                  "  mkc verify model.onnx --dim batch=1 --vs=onnxruntime");
  command->add_option("model", options->path, "What to check")
      ->type_name("MODEL.onnx|PKG.mkp|DIR")
      ->required();
  command->add_option("--inputs", options->run.inputsFile, "Inputs by name")
      ->type_name("CASE.npz");
  command
      ->add_option("--input", options->run.inputs,
                   "One input: NAME=FILE.npy or NAME=FILE.pb")
      ->type_name("NAME=WHAT")
      ->expected(1)
      ->take_all();
  command->add_option("--expect", options->expect, "Expected outputs by name")
      ->type_name("CASE.npz");
  command->add_option("--vs", options->vs, "Compare with a peer's outputs")
      ->check(CLI::IsMember({"onnxruntime"}));
  command
      ->add_option("--threads", options->threads,
                   "Threads of the runs; with several numbers, each case runs "
                   "with each, and all must give the same bits")
      ->type_name("N[,N...]")
      ->delimiter(',')
      ->check(CLI::Range(1u, 1u << 16));
  command
      ->add_option("--runs", options->run.runs,
                   "How often each case runs; all must give the same bits")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 30));
  command->add_option("--rtol", options->tolerances.rtol, "Relative tolerance")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--atol", options->tolerances.atol, "Absolute tolerance")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options->json, "Print results as JSON");
  addModelOptions(*command, options->model);
  command->callback([options, &result] { result = Verifier(*options).run(); });
}
