//===- file_type.cpp - What is in a file? Magika in one program -----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: file_type PACKAGE CONFIG FILE...
//
// Runs Google's Magika, compiled by mkc, on each file and prints its name, the
// most likely type and its probability, separated by tabs. CONFIG is the
// model's own config.json. Needs the runtime only: no compiler, no ONNX.
//
//===----------------------------------------------------------------------===//

#include "mkrt/mkrt.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Config {
  size_t begin, end, block;
  int32_t padding;
  std::vector<std::string> labels;
};

Config readConfig(const char *path) {
  std::ifstream stream(path);
  nlohmann::json json = nlohmann::json::parse(stream);
  return {json.at("beg_size"), json.at("end_size"), json.at("block_size"),
          json.at("padding_token"), json.at("target_labels_space")};
}

bool isSpace(char c) {
  return std::string_view(" \t\n\r\v\f").find(c) != std::string_view::npos;
}

/// The model's input: the file's first and last bytes without white space
/// around them, padded after the beginning and before the end.
std::vector<int32_t> features(const Config &config,
                              const std::string &content) {
  std::string first = content.substr(0, config.block);
  std::string last =
      content.substr(content.size() - std::min(content.size(), config.block));
  first.erase(first.begin(),
              std::find_if_not(first.begin(), first.end(), isSpace));
  last.erase(std::find_if_not(last.rbegin(), last.rend(), isSpace).base(),
             last.end());
  std::vector<int32_t> values(config.begin + config.end, config.padding);
  size_t fromFirst = std::min(first.size(), config.begin);
  size_t fromLast = std::min(last.size(), config.end);
  for (size_t i = 0; i < fromFirst; ++i)
    values[i] = uint8_t(first[i]);
  for (size_t i = 0; i < fromLast; ++i)
    values[values.size() - fromLast + i] =
        uint8_t(last[last.size() - fromLast + i]);
  return values;
}

/// What this program copies must fit what the package takes and gives. Throws
/// if it does not.
void checkPort(const mkrt::TensorInfo &port, int32_t type, size_t elements,
               const char *what) {
  size_t given = 1;
  for (int64_t size : port.shape)
    given *= size;
  if (port.type == type && given == elements)
    return;
  throw std::runtime_error(
      "'" + port.name + "' has " + std::to_string(given) +
      " elements of ONNX type " + std::to_string(port.type) + ", but " + what +
      " " + std::to_string(elements) + " of type " + std::to_string(type));
}

void checkPorts(const mkrt::Program &program, const Config &config) {
  constexpr int32_t floatType = 1, int32Type = 6; // ONNX's numbers
  if (program.inputCount() != 1 || program.outputCount() != 1)
    throw std::runtime_error(
        "the package has " + std::to_string(program.inputCount()) +
        " inputs and " + std::to_string(program.outputCount()) +
        " outputs, but the model has one of each");
  checkPort(program.input(0), int32Type, config.begin + config.end,
            "the features are");
  checkPort(program.output(0), floatType, config.labels.size(),
            "the labels are");
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::cerr << "usage: file_type PACKAGE CONFIG FILE...\n";
    return 2;
  }
  try {
    Config config = readConfig(argv[2]);
    mkrt::Program program = mkrt::Program::load(argv[1]);
    checkPorts(program, config);
    mkrt::Context context(program);
    for (int i = 3; i < argc; ++i) {
      std::ifstream stream(argv[i], std::ios::binary);
      if (!stream) {
        std::cerr << argv[i] << ": cannot be read\n";
        return 2;
      }
      std::string content(std::istreambuf_iterator<char>(stream), {});
      std::ranges::copy(features(config, content), context.input<int32_t>(0));
      context.run();
      const float *scores = context.output<float>(0);
      size_t best =
          std::max_element(scores, scores + config.labels.size()) - scores;
      std::printf("%s\t%s\t%.4f\n", argv[i], config.labels[best].c_str(),
                  scores[best]);
    }
  } catch (const std::exception &error) {
    std::cerr << "file_type: " << error.what() << "\n";
    return 3;
  }
}
