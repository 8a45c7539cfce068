//===- Inputs.cpp - The inputs of a run -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Inputs.h"

#include "runtime/io/Files.h"
#include "runtime/io/Fill.h"
#include "runtime/io/Npy.h"
#include "runtime/io/Npz.h"
#include "runtime/io/TensorProto.h"

#include <algorithm>
#include <map>

using namespace mkrt;
using namespace mkrt::cli;

static std::vector<int64_t> shapeOf(const format::PackageView &view,
                                    const format::PortInfo &port) {
  std::span<const int64_t> shape = view.shape(port);
  return {shape.begin(), shape.end()};
}

static bool hasInput(const format::PackageView &view, std::string_view name) {
  return std::ranges::any_of(view.inputs(), [&](const format::PortInfo &port) {
    return view.string(port.name) == name;
  });
}

static std::vector<std::string> inputNames(const format::PackageView &view) {
  std::vector<std::string> names;
  for (const format::PortInfo &port : view.inputs())
    names.emplace_back(view.string(port.name));
  return names;
}

static std::string listText(std::span<const std::string> names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "'" : ", '") + name + "'";
  return list.empty() ? "it has none" : "it has " + list;
}

std::string mkrt::cli::splitInput(const std::string &spec,
                                  std::span<const std::string> names,
                                  size_t &index, std::string &what) {
  size_t first = spec.find('=');
  if (first == spec.npos)
    return "--input " + spec + " is not of the form NAME=WHAT";
  for (size_t at = first; at != spec.npos; at = spec.find('=', at + 1)) {
    auto found = std::ranges::find(names, spec.substr(0, at));
    if (found == names.end())
      continue;
    index = size_t(found - names.begin());
    what = spec.substr(at + 1);
    return {};
  }
  return "the model has no input '" + spec.substr(0, first) +
         "': " + listText(names);
}

/// Refuses a tensor that is not what the port wants; types that files lack are
/// restored first.
static std::string fit(const format::PackageView &view,
                       const format::PortInfo &port, const std::string &source,
                       io::Tensor &tensor) {
  std::string subject =
      source + ": input '" + std::string(view.string(port.name)) + "' ";
  if (std::string error = io::restoreType(tensor, port.type); !error.empty())
    return subject + error;
  if (!std::ranges::equal(tensor.shape(), view.shape(port)))
    return subject + "has shape " + io::shapeText(tensor.shape()) +
           ", expected " + io::shapeText(view.shape(port));
  return {};
}

std::string mkrt::cli::readInputFile(const std::string &path,
                                     io::Tensor &tensor) {
  if (path.ends_with(".pb"))
    return io::readTensorProto(path, tensor);
  if (!path.ends_with(".npy"))
    return "'" + path +
           "' is neither FILE.npy, FILE.pb, zeros nor "
           "random[:SEED[:LO:HI]]";
  std::vector<std::byte> bytes;
  std::string error = io::readFile(path, bytes);
  if (error.empty())
    if (error = io::readNpy(bytes, tensor); !error.empty())
      error = path + ": " + error;
  return error;
}

static std::string makeInput(const format::PackageView &view, uint32_t input,
                             const std::string &what, io::Tensor &tensor) {
  const format::PortInfo &port = view.inputs()[input];
  std::string error;
  std::optional<io::Fill> fill = io::parseFill(what, error);
  if (!error.empty())
    return error;
  if (!fill) {
    error = readInputFile(what, tensor);
    return error.empty() ? fit(view, port, what, tensor) : error;
  }
  error = io::Tensor::allocate(port.type, shapeOf(view, port), tensor);
  if (error.empty())
    io::fillTensor(tensor, *fill, std::string(view.string(port.name)));
  return error;
}

std::string mkrt::cli::prepareInputs(const format::PackageView &view,
                                     const RunOptions &options,
                                     std::vector<io::Tensor> &out) {
  std::vector<std::string> names = inputNames(view);
  std::vector<std::string> specs(names.size());
  for (const std::string &spec : options.inputs) {
    size_t input;
    std::string what;
    if (std::string error = splitInput(spec, names, input, what);
        !error.empty())
      return error;
    specs[input] = what;
  }
  io::NamedTensors named;
  if (!options.inputsFile.empty())
    if (std::string error = io::readNpz(
            options.inputsFile,
            [&](const std::string &name) { return hasInput(view, name); },
            named);
        !error.empty())
      return error;
  std::map<std::string_view, io::Tensor *> byName;
  for (auto &[name, tensor] : named)
    byName[name] = &tensor;

  out.clear();
  out.resize(view.inputs().size());
  for (uint32_t i = 0; i < out.size(); ++i) {
    const format::PortInfo &port = view.inputs()[i];
    auto found = byName.find(view.string(port.name));
    std::string error;
    if (!specs[i].empty() || found == byName.end()) {
      error =
          makeInput(view, i, specs[i].empty() ? "random" : specs[i], out[i]);
    } else {
      out[i] = std::move(*found->second);
      error = fit(view, port, options.inputsFile, out[i]);
    }
    if (!error.empty())
      return error;
  }
  return {};
}

std::string mkrt::cli::allocateOutputs(const format::PackageView &view,
                                       std::vector<io::Tensor> &out) {
  out.clear();
  out.resize(view.outputs().size());
  for (size_t i = 0; i < out.size(); ++i) {
    const format::PortInfo &port = view.outputs()[i];
    if (std::string error =
            io::Tensor::allocate(port.type, shapeOf(view, port), out[i]);
        !error.empty())
      return error;
  }
  return {};
}
