//===- RunCommand.cpp - Running a program and printing results ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/RunCommand.h"

#include "runtime/cli/Inputs.h"
#include "runtime/host/Context.h"
#include "runtime/io/Compare.h"
#include "runtime/io/Npz.h"
#include "runtime/verify/Verify.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace mkrt;
using namespace mkrt::cli;

namespace {
/// Milliseconds of the runs, sorted.
struct Latencies {
  std::vector<double> ms;

  double at(double share) const {
    return ms[std::min(ms.size() - 1, size_t(share * double(ms.size())))];
  }
};
} // namespace

static host::Error execute(host::Context &context, const RunOptions &options,
                           Latencies &latencies) {
  host::RunOptions run;
  run.threads = options.threads;
  run.stallLimit = std::chrono::milliseconds(
      std::max<int64_t>(1, int64_t(options.stallLimit * 1000)));
  for (uint32_t i = 0; i < options.runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (host::Error error = context.run(run))
      return error;
    latencies.ms.push_back(std::chrono::duration<double, std::milli>(
                               std::chrono::steady_clock::now() - start)
                               .count());
  }
  std::sort(latencies.ms.begin(), latencies.ms.end());
  return {};
}

/// JSON has no NaN and no infinity.
static nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

static void printJson(const format::PackageView &view,
                      std::span<const io::Tensor> outputs,
                      const Latencies &latencies) {
  nlohmann::ordered_json result;
  result["runs"] = latencies.ms.size();
  result["latency_ms"] = {{"min", latencies.at(0)},
                          {"median", latencies.at(0.5)},
                          {"p99", latencies.at(0.99)}};
  result["outputs"] = nlohmann::json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    io::Summary summary = io::summarize(outputs[i]);
    nlohmann::ordered_json output;
    output["name"] = view.string(view.outputs()[i].name);
    output["type"] = format::typeName(outputs[i].type());
    output["shape"] = outputs[i].shape();
    output["min"] = number(summary.min);
    output["max"] = number(summary.max);
    output["mean"] = number(summary.mean);
    result["outputs"].push_back(std::move(output));
  }
  // Names may hold bytes that are not UTF-8.
  std::puts(
      result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
          .c_str());
}

static void printText(const format::PackageView &view,
                      std::span<const io::Tensor> outputs,
                      const Latencies &latencies) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string name(view.string(view.outputs()[i].name));
    io::Summary summary = io::summarize(outputs[i]);
    std::printf("%s: %s min=%.6g max=%.6g mean=%.6g\n", name.c_str(),
                io::typeText(outputs[i]).c_str(), summary.min, summary.max,
                summary.mean);
  }
  if (latencies.ms.size() > 1)
    std::printf("%zu runs: min %.3f ms, median %.3f ms, p99 %.3f ms\n",
                latencies.ms.size(), latencies.at(0), latencies.at(0.5),
                latencies.at(0.99));
}

static std::string writeOutputs(const format::PackageView &view,
                                std::span<const io::Tensor> outputs,
                                const std::string &path) {
  std::vector<std::pair<std::string, const io::Tensor *>> named;
  for (size_t i = 0; i < outputs.size(); ++i)
    named.emplace_back(view.string(view.outputs()[i].name), &outputs[i]);
  return io::writeNpz(path, named);
}

ExitCode mkrt::cli::runProgram(const std::string &file,
                               std::shared_ptr<const host::Program> program,
                               const RunOptions &options) {
  const format::PackageView &view = program->view();
  if (options.check) {
    verify::VerifyResult result = verify::verifySchedule(view);
    if (!result.ok) {
      printError(file, "the schedule is refused (" +
                           std::string(verify::failureName(result.failure)) +
                           "): " + result.message);
      return CheckFailed;
    }
  }
  std::vector<io::Tensor> inputs, outputs;
  std::string text = prepareInputs(view, options, inputs);
  if (text.empty())
    text = allocateOutputs(view, outputs);
  if (!text.empty()) {
    printError(file, text);
    return BadInput;
  }

  std::unique_ptr<host::Context> context;
  host::Error error = host::Context::create(program, context);
  for (uint32_t i = 0; i < inputs.size() && !error; ++i)
    error = context->bindInput(i, inputs[i].bytes().data());
  for (uint32_t i = 0; i < outputs.size() && !error; ++i)
    error = context->bindOutput(i, outputs[i].bytes().data());
  Latencies latencies;
  if (!error)
    error = execute(*context, options, latencies);
  if (error) {
    printError(file, error.message);
    return exitCode(error);
  }

  if (options.json)
    printJson(view, outputs, latencies);
  else
    printText(view, outputs, latencies);
  if (!options.outputsFile.empty()) {
    text = writeOutputs(view, outputs, options.outputsFile);
    if (!text.empty()) {
      printError(options.outputsFile, text);
      return RunFailed;
    }
  }
  return Success;
}

ExitCode mkrt::cli::runPackage(const std::string &path,
                               const RunOptions &options) {
  std::shared_ptr<const host::Program> program;
  if (host::Error error = host::Program::load(path, program)) {
    printError(path, error.message);
    return exitCode(error);
  }
  return runProgram(path, std::move(program), options);
}
