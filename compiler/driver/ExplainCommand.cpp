//===- ExplainCommand.cpp - mkc explain -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Commands.h"
#include "compiler/driver/Programs.h"
#include "runtime/format/PrintSchedule.h"
#include "runtime/host/PackageFile.h"

#include "nlohmann/json.hpp"

#include <CLI/CLI.hpp>

using namespace mkc::driver;
using namespace mkrt::cli;

namespace {

struct Options {
  ModelOptions model;
  std::string path;
  RunOptions run;
  bool json = false;
  bool schedule = false;
};

/// The figures of a package.
struct Figures {
  explicit Figures(const mkrt::format::PackageView &view);

  uint64_t tasks = 0, waits = 0;
  /// Records and tiles of each dispatch.
  std::vector<std::pair<uint64_t, uint64_t>> dispatches;
};

} // namespace

Figures::Figures(const mkrt::format::PackageView &view)
    : dispatches(view.dispatches().size()) {
  for (size_t i = 0; i < view.records().size(); ++i) {
    const mkrt::format::Record &record = view.records()[i];
    auto &[records, tiles] = dispatches[view.recordDispatch()[i]];
    ++records;
    tiles += record.tileCount;
    tasks += record.tileCount;
    waits += record.waitCount;
  }
}

static double waitsPerRecord(const mkrt::format::PackageView &view,
                             const Figures &figures) {
  return view.records().empty() ? 0
                                : double(figures.waits) / view.records().size();
}

static void printText(const mkrt::format::PackageView &view,
                      const Figures &figures) {
  const mkrt::format::ProgramInfo &program = view.program();
  auto line = [](const char *name, uint64_t value) {
    std::printf("%-18s %llu\n", name, static_cast<unsigned long long>(value));
  };
  line("kernels", view.kernels().size());
  line("dispatches", view.dispatches().size());
  line("tasks", figures.tasks);
  line("records", view.records().size());
  line("queues", program.queueCount);
  line("counters", program.counterCount);
  std::printf("%-18s %.2f\n", "waits per record",
              waitsPerRecord(view, figures));
  line("arena bytes", program.arenaBytes);
  line("weight bytes", view.weights().size());
  std::printf("\n%8s %8s  %-28s %s\n", "records", "tasks", "kernel", "nodes");
  for (size_t i = 0; i < view.dispatches().size(); ++i) {
    const mkrt::format::DispatchInfo &dispatch = view.dispatches()[i];
    std::string kernel(view.string(view.kernels()[dispatch.kernel].symbol));
    std::string name(view.string(dispatch.name));
    auto [records, tasks] = figures.dispatches[i];
    std::printf(
        "%8llu %8llu  %-28s %s\n", static_cast<unsigned long long>(records),
        static_cast<unsigned long long>(tasks), kernel.c_str(), name.c_str());
  }
}

static void printJson(const mkrt::format::PackageView &view,
                      const Figures &figures) {
  const mkrt::format::ProgramInfo &program = view.program();
  nlohmann::ordered_json json = {
      {"kernels", view.kernels().size()},
      {"tasks", figures.tasks},
      {"records", view.records().size()},
      {"queues", program.queueCount},
      {"counters", program.counterCount},
      {"waits_per_record", waitsPerRecord(view, figures)},
      {"arena_bytes", program.arenaBytes},
      {"weight_bytes", view.weights().size()}};
  nlohmann::ordered_json dispatches = nlohmann::ordered_json::array();
  for (size_t i = 0; i < view.dispatches().size(); ++i) {
    const mkrt::format::DispatchInfo &dispatch = view.dispatches()[i];
    dispatches.push_back(
        {{"nodes", view.string(dispatch.name)},
         {"kernel", view.string(view.kernels()[dispatch.kernel].symbol)},
         {"records", figures.dispatches[i].first},
         {"tasks", figures.dispatches[i].second}});
  }
  json["dispatches"] = std::move(dispatches);
  std::puts(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                .c_str());
}

static void print(const mkrt::format::PackageView &view,
                  const Options &options) {
  Figures figures(view);
  options.json ? printJson(view, figures) : printText(view, figures);
  if (options.schedule) {
    std::puts("");
    mkrt::format::printSchedule(view, [](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), stdout);
    });
  }
}

/// Nothing runs, so the package may be made for another machine.
static ExitCode explainPackage(const Options &options) {
  std::string error = checkModelOptions(options.model);
  if (error.empty())
    error = checkPackageOptions(options.model);
  if (error.empty() &&
      !(options.run.inputsFile.empty() && options.run.inputs.empty()))
    error = "--inputs and --input are for models: a package has its shapes "
            "already";
  if (!error.empty()) {
    printError(options.path, error);
    return BadInput;
  }
  mkrt::host::PackageFile package;
  if (mkrt::host::Error error =
          mkrt::host::PackageFile::open(options.path, package)) {
    printError(options.path, error.message);
    return exitCode(error);
  }
  print(package.view(), options);
  return Success;
}

static ExitCode explain(const Options &options) {
  if (isPackage(options.path))
    return explainPackage(options);
  std::unique_ptr<ProgramSource> source;
  ExitCode code = ProgramSource::open(options.path, options.model, source);
  if (code != Success) {
    if (options.json && source && !source->unsupported().empty())
      printUnsupported(source->unsupported());
    return code;
  }
  TensorMap inputs;
  RunOptions fills;
  if (std::string error = readGivenInputs(options.run, *source, inputs, fills);
      !error.empty()) {
    printError(options.path, error);
    return BadInput;
  }
  std::shared_ptr<const mkrt::host::Program> program;
  if (code = source->programFor(inputs, fills, program); code != Success) {
    if (options.json && !source->unsupported().empty())
      printUnsupported(source->unsupported());
    return code;
  }
  print(program->view(), options);
  return Success;
}

void mkc::driver::addExplainCommand(CLI::App &app, ExitCode &result) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand(
      "explain", "Shows kernels, tasks, counters and memory of a schedule");
  command->footer("Example:\n  mkc explain model.onnx --dim batch=1");
  addModelArgument(*command, options->path);
  command
      ->add_option("--inputs", options->run.inputsFile,
                   "Inputs whose shapes the model is compiled for")
      ->type_name("CASE.npz");
  command
      ->add_option("--input", options->run.inputs,
                   "One such input: NAME=FILE.npy, NAME=FILE.pb, NAME=zeros or "
                   "NAME=random[:SEED[:LO:HI]]")
      ->type_name("NAME=WHAT")
      ->expected(1)
      ->take_all();
  addUnusedThreads(*command);
  CLI::Option *json =
      command->add_flag("--json", options->json, "Print results as JSON");
  command
      ->add_flag("--schedule", options->schedule,
                 "Print all kernels' accesses and all records, too")
      ->excludes(json);
  addModelOptions(*command, options->model);
  command->callback([options, &result] { result = explain(*options); });
}
