//===- Cases.cpp - Folders of recorded cases ------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Cases.h"

#include "runtime/io/Files.h"
#include "runtime/io/Npz.h"
#include "runtime/io/TensorProto.h"

#include "nlohmann/json.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mkc::driver;
using nlohmann::json;

//===----------------------------------------------------------------------===//
// Tolerances
//===----------------------------------------------------------------------===//

static std::optional<double> numberOf(const json &object, const char *key) {
  auto it = object.find(key);
  if (it == object.end() || !it->is_number())
    return std::nullopt;
  return it->get<double>();
}

std::string Tolerances::read(const std::string &path) {
  if (!llvm::sys::fs::exists(path))
    return {};
  std::vector<std::byte> bytes;
  if (std::string error = mkrt::io::readFile(path, bytes); !error.empty())
    return error;
  auto *text = reinterpret_cast<const char *>(bytes.data());
  json root = json::parse(text, text + bytes.size(), nullptr, false);
  if (!root.is_object())
    return path + ": not a JSON object";
  auto entryOf = [](const json &object) {
    return Entry{numberOf(object, "rtol"), numberOf(object, "atol")};
  };
  all = entryOf(root);
  if (auto it = root.find("outputs"); it != root.end() && it->is_object())
    for (const auto &[name, entry] : it->items())
      if (entry.is_object())
        outputs[name] = entryOf(entry);
  return {};
}

mkrt::io::Tolerance Tolerances::of(const std::string &output,
                                   mkrt::io::DataType type) const {
  mkrt::io::Tolerance defaults = mkrt::io::defaultTolerance(type);
  auto it = outputs.find(output);
  Entry own = it == outputs.end() ? Entry() : it->second;
  auto choose = [](std::optional<double> user, std::optional<double> own,
                   std::optional<double> all, double fallback) {
    return user ? *user : own ? *own : all.value_or(fallback);
  };
  return {choose(rtol, own.rtol, all.rtol, defaults.rtol),
          choose(atol, own.atol, all.atol, defaults.atol)};
}

//===----------------------------------------------------------------------===//
// Discovery
//===----------------------------------------------------------------------===//

static std::string listPaths(const std::string &folder,
                             const std::string &prefix,
                             const std::string &suffix,
                             std::vector<std::string> &out) {
  std::string error = mkrt::io::listFolder(folder, prefix, suffix, out);
  for (std::string &name : out)
    name = folder + "/" + name;
  return error;
}

std::string mkc::driver::findCases(const std::string &folder,
                                   std::vector<CaseFiles> &out) {
  std::vector<std::string> sets, files;
  if (std::string error =
          mkrt::io::listFolder(folder, "test_data_set_", "", sets);
      !error.empty())
    return error;
  for (const std::string &set : sets) {
    CaseFiles files{set, "", {}, {}};
    std::string path = folder + "/" + set;
    std::string error = listPaths(path, "input_", ".pb", files.inputs);
    if (error.empty())
      error = listPaths(path, "output_", ".pb", files.outputs);
    if (!error.empty())
      return error;
    out.push_back(std::move(files));
  }
  if (std::string error = mkrt::io::listFolder(folder, "case", ".npz", files);
      !error.empty())
    return error;
  for (const std::string &file : files)
    out.push_back({llvm::StringRef(file).drop_back(4).str(),
                   folder + "/" + file,
                   {},
                   {}});
  if (out.empty())
    return "no case in this folder: neither test_data_set_* nor case*.npz";
  return {};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::string readByPosition(const std::vector<std::string> &files,
                                  const std::vector<std::string> &names,
                                  const std::string &kind, TensorMap &out) {
  if (files.size() > names.size())
    return std::to_string(files.size()) + " " + kind +
           " files, but the model has " + std::to_string(names.size()) + " " +
           kind + "s";
  for (auto [i, file] : llvm::enumerate(files)) {
    const std::string &name = names[i];
    // The number is the position: a gap would shift all that follow.
    std::string wanted = kind + "_" + std::to_string(i) + ".pb";
    if (llvm::sys::path::filename(file) != wanted)
      return "no " + wanted + " for " + kind + " '" + name + "', but " + file;
    if (std::string error = mkrt::io::readTensorProto(file, out[name]);
        !error.empty())
      return error;
  }
  return {};
}

std::string mkc::driver::readCase(const CaseFiles &files,
                                  const std::vector<std::string> &inputNames,
                                  const std::vector<std::string> &outputNames,
                                  TensorMap &inputs, TensorMap &outputs) {
  if (files.npz.empty()) {
    std::string error =
        readByPosition(files.inputs, inputNames, "input", inputs);
    return error.empty()
               ? readByPosition(files.outputs, outputNames, "output", outputs)
               : error;
  }
  mkrt::io::NamedTensors arrays;
  if (std::string error = mkrt::io::readNpz(files.npz, arrays); !error.empty())
    return error;
  for (auto &[name, tensor] : arrays)
    if (llvm::is_contained(inputNames, name))
      inputs[name] = std::move(tensor);
    else if (llvm::is_contained(outputNames, name))
      outputs[name] = std::move(tensor);
    else
      return files.npz + ": array '" + name +
             "' is neither an input nor an output of the model";
  return {};
}

std::string mkc::driver::missingTensors(const std::string &source,
                                        const char *kind,
                                        const std::vector<std::string> &names,
                                        const TensorMap &tensors) {
  std::string missing;
  for (const std::string &name : names)
    if (!tensors.contains(name))
      missing += (missing.empty() ? "'" : ", '") + name + "'";
  if (missing.empty())
    return {};
  return source + " has nothing for " + kind + " " + missing;
}
