//===- Peer.cpp - Other inference engines, for comparison -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Peer.h"

#include "compiler/driver/PeerScript.h"
#include "runtime/io/Npz.h"

#include "nlohmann/json.hpp"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>

using namespace mkc::driver;
using nlohmann::json;

void Peer::removeFolder() const {
  if (!folder.empty())
    llvm::sys::fs::remove_directories(folder);
}

std::string Peer::receive(json &reply) {
  std::string line;
  if (std::string error = process.readLine(line); !error.empty())
    return engine + ": " + error;
  reply = json::parse(line, nullptr, false);
  if (!reply.is_object() || !reply.contains("ok"))
    return engine + ": unexpected answer: " + line;
  if (!reply["ok"].get<bool>())
    return engine + ": " + reply.value("error", "failed");
  return {};
}

std::string Peer::ask(const json &request, json &reply) {
  std::string error = process.writeLine(request.dump());
  return error.empty() ? receive(reply) : engine + ": " + error;
}

std::string Peer::start(const std::string &name, const std::string &model,
                        unsigned threads) {
  engine = name;
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("mkc-peer", path))
    return "cannot create a temporary folder: " + error.message();
  folder = path.str().str();
  const char *python = std::getenv("MKC_PYTHON");
  std::string error =
      process.start({python ? python : "python3", "-c", peerScript, engine,
                     model, std::to_string(threads)});
  if (!error.empty())
    return error;
  json reply;
  if (error = receive(reply); !error.empty())
    return error;
  engineVersion = reply.value("version", engine);
  return {};
}

std::string Peer::setInputs(const BoundProgram &bound) {
  std::string path = folder + "/inputs.npz";
  if (std::string error = bound.writeInputs(path); !error.empty())
    return error;
  json reply;
  return ask({{"inputs", path}}, reply);
}

std::string Peer::run(unsigned runs, std::vector<double> &latencies) {
  json reply;
  if (std::string error = ask({{"run", runs}}, reply); !error.empty())
    return error;
  for (const json &latency : reply.value("latencies_ms", json::array()))
    if (latency.is_number())
      latencies.push_back(latency.get<double>());
  return {};
}

std::string Peer::readOutputs(TensorMap &outputs) {
  std::string path = folder + "/outputs.npz";
  json reply;
  if (std::string error = ask({{"outputs", path}}, reply); !error.empty())
    return error;
  mkrt::io::NamedTensors arrays;
  if (std::string error = mkrt::io::readNpz(path, arrays); !error.empty())
    return error;
  for (auto &[name, tensor] : arrays)
    outputs[name] = std::move(tensor);
  return {};
}
