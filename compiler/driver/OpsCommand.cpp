//===- OpsCommand.cpp - mkc ops -------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Commands.h"
#include "passes/conversion/OnnxToNn/OpTable.h"

#include "nlohmann/json.hpp"

#include <CLI/CLI.hpp>

using namespace mkrt::cli;
using namespace mkc;

static std::vector<std::string> typeNames(ElementTypes types) {
  std::vector<std::string> names;
  for (auto [type, name] : {std::pair{ElementTypes::F32, "float"},
                            {ElementTypes::F16, "float16"},
                            {ElementTypes::BF16, "bfloat16"},
                            {ElementTypes::I32, "int32"},
                            {ElementTypes::I64, "int64"},
                            {ElementTypes::Bool, "bool"}})
    if (contains(types, type))
      names.emplace_back(name);
  return names;
}

static std::string domainName(const OpEntry &entry) {
  return entry.domain.empty() ? "ai.onnx" : entry.domain.str();
}

static void printText() {
  for (const OpEntry &entry : opTable()) {
    std::string opsets =
        std::to_string(entry.firstOpset) + "-" +
        std::to_string(std::min(entry.lastOpset, kNewestOpset));
    std::string types;
    for (const std::string &name : typeNames(entry.types))
      types += (types.empty() ? "" : " ") + name;
    std::printf("%-16s %-28s %-8s %s\n", domainName(entry).c_str(),
                entry.opType.str().c_str(), opsets.c_str(), types.c_str());
  }
}

static void printJson() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OpEntry &entry : opTable())
    list.push_back({{"domain", entry.domain.str()},
                    {"op_type", entry.opType.str()},
                    {"first_opset", entry.firstOpset},
                    {"last_opset", std::min(entry.lastOpset, kNewestOpset)},
                    {"types", typeNames(entry.types)}});
  nlohmann::ordered_json json = {{"operators", std::move(list)}};
  std::puts(json.dump().c_str());
}

void mkc::driver::addOpsCommand(CLI::App &app, ExitCode &result) {
  auto json = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand(
      "ops", "Lists supported operators with domain, opsets and types");
  command->footer("Example:\n  mkc ops | grep Conv");
  command->add_flag("--json", *json, "Print results as JSON");
  command->callback([json, &result] {
    *json ? printJson() : printText();
    result = Success;
  });
}
