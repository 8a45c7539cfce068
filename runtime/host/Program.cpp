//===- Program.cpp - An immutable, loaded package -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Program.h"

#include "runtime/host/Cpu.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace mkrt::host;
using namespace mkrt::format;

static constexpr const char *kInMemory = "package in memory";

Error Program::load(const std::string &path,
                    std::shared_ptr<const Program> &out) {
  auto program = std::make_shared<Program>();
  if (Error error = Mapping::file(path, program->memory_))
    return error;
  if (Error error = program->initialize(program->memory_.bytes(), path))
    return error;
  out = std::move(program);
  return {};
}

Error Program::load(Mapping bytes, std::shared_ptr<const Program> &out) {
  auto program = std::make_shared<Program>();
  program->memory_ = std::move(bytes);
  if (Error error = program->initialize(program->memory_.bytes(), kInMemory))
    return error;
  out = std::move(program);
  return {};
}

Error Program::load(std::span<const std::byte> bytes, Ownership ownership,
                    std::shared_ptr<const Program> &out) {
  if (ownership == Ownership::Copy) {
    Mapping copy;
    if (Error error = Mapping::allocate(bytes.size(), "a package", copy))
      return error;
    if (!bytes.empty())
      std::memcpy(copy.data(), bytes.data(), bytes.size());
    return load(std::move(copy), out);
  }
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kWeightAlignment)
    return {ErrorCode::InvalidArgument,
            "borrowed package bytes must be aligned to " +
                std::to_string(kWeightAlignment)};
  auto program = std::make_shared<Program>();
  if (Error error = program->initialize(bytes, kInMemory))
    return error;
  out = std::move(program);
  return {};
}

/// `name` is what messages start with.
Error Program::initialize(std::span<const std::byte> bytes,
                          const std::string &name) {
  auto named = [&](Error error) {
    if (error)
      error.message = name + ": " + error.message;
    return error;
  };
  if (std::string error = PackageView::open(bytes, view_); !error.empty())
    return named({ErrorCode::BadPackage, std::move(error)});
  if (Error error = checkSupport())
    return named(error);
  if (Error error = checkHostFeatures())
    return named(error);
  if (Error error = tabulateCounters())
    return named(error);
  if (Error error = loadKernels())
    return named(error);
  recordOfRank_ = recordsByRank(view_);
  return {};
}

/// Refuses what the format knows and this runtime does not implement.
Error Program::checkSupport() const {
  if (view_.hostObject().empty())
    return {ErrorCode::Unsupported,
            "the package has no host object; compile it with --target=host"};
  auto refuse = [&](uint32_t r, const char *what, unsigned value) -> Error {
    return {ErrorCode::Unsupported,
            "record " + std::to_string(r) + " (node '" +
                std::string(dispatchName(r)) + "') has " + what + " " +
                std::to_string(value) +
                ", which this runtime does not implement for hosts"};
  };
  for (uint32_t r = 0; r < view_.records().size(); ++r) {
    const Record &record = view_.records()[r];
    if (record.opcode != Opcode::Run)
      return refuse(r, "opcode", unsigned(record.opcode));
    for (Handoff handoff : record.handoff)
      if (handoff != Handoff::Counter)
        return refuse(r, "hand-off kind", unsigned(handoff));
  }
  return {};
}

Error Program::checkHostFeatures() const {
  if (view_.manifest().empty())
    return {};
  auto manifest = nlohmann::json::parse(view_.manifest(), nullptr,
                                        /*allow_exceptions=*/false);
  if (!manifest.is_object())
    return {ErrorCode::BadPackage, "the manifest is not a JSON object"};
  auto features = manifest.find("host_features");
  if (features == manifest.end())
    return {};
  if (!features->is_array())
    return {ErrorCode::BadPackage,
            "the manifest's host_features is not an array"};
  std::string missing;
  for (const auto &feature : *features) {
    if (!feature.is_string())
      return {ErrorCode::BadPackage,
              "the manifest's host_features holds something else than strings"};
    if (!cpuFeatures().contains(feature.get<std::string>()))
      missing += " " + feature.get<std::string>();
  }
  if (!missing.empty())
    return {ErrorCode::Unsupported,
            "this CPU lacks features that the package's host code uses:" +
                missing + "; compile it with --host-cpu= for this CPU"};
  return {};
}

Error Program::tabulateCounters() {
  counterTotal_.assign(view_.program().counterCount, 0);
  leastTarget_.assign(view_.program().counterCount, UINT32_MAX);
  for (const Record &record : view_.records()) {
    for (const Wait &wait : std::span(record.waits, record.waitCount)) {
      uint32_t &least = leastTarget_[wait.counter];
      least = std::min(least, wait.target);
    }
    for (const Signal &signal : std::span(record.signals, record.signalCount)) {
      uint32_t &total = counterTotal_[signal.counter];
      if (__builtin_add_overflow(total, signal.amount, &total))
        return {ErrorCode::Schedule, "the signals of counter " +
                                         std::to_string(signal.counter) +
                                         " add up to more than 32 bits hold"};
    }
  }
  return {};
}

Error Program::loadKernels() {
  if (Error error = object_.load(view_.hostObject()))
    return error;
  for (const KernelInfo &kernel : view_.kernels()) {
    std::string symbol(view_.string(kernel.symbol));
    void *entry = object_.symbol(symbol);
    if (!entry)
      return {ErrorCode::BadPackage,
              "the host object has no kernel '" + symbol + "'"};
    kernels_.push_back(reinterpret_cast<HostKernel>(entry));
  }
  return {};
}

std::string_view Program::dispatchName(uint32_t record) const {
  return view_.string(view_.dispatches()[view_.recordDispatch()[record]].name);
}
