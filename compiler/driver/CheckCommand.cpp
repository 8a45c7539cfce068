//===- CheckCommand.cpp - mkc check ---------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Commands.h"
#include "runtime/format/PackageCheck.h"
#include "runtime/host/PackageFile.h"
#include "runtime/verify/Verify.h"

#include "nlohmann/json.hpp"

#include <CLI/CLI.hpp>

using namespace mkrt::cli;

namespace {
struct Options {
  std::string path;
  bool json = false;
};
} // namespace

static void printProof(const std::string &path,
                       const mkrt::verify::VerifyStatistics &statistics) {
  auto number = [](uint64_t value) {
    return static_cast<unsigned long long>(value);
  };
  std::printf(
      "%s: the schedule is sound\n"
      "  no deadlock: queue order and %llu waits have no cycle, and "
      "each wait is for all signals\n"
      "  no race: all conflicting accesses of %llu records (%llu tiles) "
      "are ordered, in %llu buffers\n"
      "  no tile leaves its buffers\n"
      "  checked in %.3f s\n",
      path.c_str(), number(statistics.waits), number(statistics.records),
      number(statistics.tiles), number(statistics.groups), statistics.seconds);
}

static ExitCode check(const Options &options) {
  mkrt::host::PackageFile package;
  if (mkrt::host::Error error =
          mkrt::host::PackageFile::open(options.path, package)) {
    printError(options.path, error.message);
    return exitCode(error);
  }
  mkrt::verify::VerifyResult result =
      mkrt::verify::verifySchedule(package.view());
  if (options.json) {
    nlohmann::ordered_json json = {
        {"ok", result.ok},
        {"failure", mkrt::verify::failureName(result.failure)},
        {"message", result.message},
        {"records", result.statistics.records},
        {"waits", result.statistics.waits},
        {"tiles", result.statistics.tiles}};
    std::puts(
        json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
            .c_str());
  } else if (result.ok) {
    printProof(options.path, result.statistics);
  }
  if (result.ok)
    return Success;
  printError(options.path, result.message);
  return CheckFailed;
}

void mkc::driver::addCheckCommand(CLI::App &app, ExitCode &result) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand(
      "check", "Verifies a package's schedule again, independently");
  command->footer("Example:\n  mkc check model.mkp");
  command->add_option("package", options->path, "The package")
      ->type_name("PKG.mkp")
      ->required();
  command->add_flag("--json", options->json, "Print results as JSON");
  command->callback([options, &result] { result = check(*options); });
}
