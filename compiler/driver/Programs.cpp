//===- Programs.cpp - Programs from packages and from models --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Programs.h"

#include "runtime/cli/Inputs.h"
#include "runtime/io/Fill.h"
#include "runtime/io/Npy.h"
#include "runtime/io/Npz.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mkc;
using namespace mkc::driver;
using namespace mkrt::cli;
using mkrt::host::Program;
using ProgramPtr = std::shared_ptr<const Program>;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

const std::vector<Unsupported> &ProgramSource::unsupported() const {
  static const std::vector<Unsupported> none;
  return none;
}

const Work &ProgramSource::work() const {
  static const Work unknown;
  return unknown;
}

namespace {

class PackageSource : public ProgramSource {
public:
  explicit PackageSource(ProgramPtr program) : program(std::move(program)) {}

  ExitCode programFor(const TensorMap &, const RunOptions &,
                      ProgramPtr &out) override {
    out = program;
    return Success;
  }
  std::vector<std::string> inputNames() const override {
    return names(program->view().inputs());
  }
  std::vector<std::string> outputNames() const override {
    return names(program->view().outputs());
  }

private:
  std::vector<std::string>
  names(std::span<const mkrt::format::PortInfo> ports) const {
    std::vector<std::string> names;
    for (const mkrt::format::PortInfo &port : ports)
      names.emplace_back(program->view().string(port.name));
    return names;
  }

  ProgramPtr program;
};

/// Compiles once for each distinct set of shapes, and of values that shapes
/// depend on.
class ModelSource : public ProgramSource {
public:
  explicit ModelSource(const ModelOptions &options) : compiler(options) {}

  ExitCode load(const std::string &path);
  ExitCode programFor(const TensorMap &inputs, const RunOptions &fills,
                      ProgramPtr &out) override;
  std::vector<std::string> constantInputs() const override {
    return compiler.constantInputs();
  }
  std::vector<std::string> inputNames() const override;
  std::vector<std::string> outputNames() const override {
    return compiler.outputNames();
  }
  const std::vector<Unsupported> &unsupported() const override {
    return compiler.unsupported();
  }
  const Work &work() const override { return lastWork; }

private:
  ExitCode fail(const std::string &error) const {
    printError(compiler.path(), error);
    return BadInput;
  }

  Compiler compiler;
  Dims requested{{}};
  std::map<std::string, std::pair<ProgramPtr, Work>> programs;
  Work lastWork;
};

} // namespace

ExitCode ModelSource::load(const std::string &path) {
  if (ExitCode code = compiler.load(path); code != Success)
    return code;
  return compiler.dims(requested);
}

std::vector<std::string> ModelSource::inputNames() const {
  std::vector<std::string> names;
  for (const Dims::Input &input : requested.inputs())
    names.push_back(input.name);
  return names;
}

/// The shapes and values as text: equal for inputs that share a program.
static std::string keyOf(const ConvertOptions &inputs) {
  std::vector<std::string> parts;
  for (const auto &entry : inputs.inputShapes) {
    std::string part = entry.getKey().str() + "=";
    for (int64_t size : entry.getValue())
      part += std::to_string(size) + ",";
    parts.push_back(std::move(part));
  }
  for (const auto &entry : inputs.inputValues) {
    llvm::ArrayRef<char> raw = entry.getValue().getRawData();
    parts.push_back(entry.getKey().str() + ":" +
                    std::string(raw.begin(), raw.end()));
  }
  llvm::sort(parts);
  return llvm::join(parts, ";");
}

ExitCode ModelSource::programFor(const TensorMap &inputs,
                                 const RunOptions &fills, ProgramPtr &out) {
  Dims dims = requested;
  for (const Dims::Input &input : requested.inputs()) {
    auto given = inputs.find(input.name);
    if (given == inputs.end())
      continue;
    auto shape = given->second.shape();
    if (std::string error =
            dims.observe(input.name, {shape.data(), shape.size()});
        !error.empty())
      return fail(error);
  }
  if (std::string error = dims.check(); !error.empty())
    return fail(error);
  ConvertOptions bound;
  if (ExitCode code = compiler.bind(dims, inputs, fills.inputs, bound);
      code != Success)
    return code;
  auto [it, isNew] = programs.try_emplace(keyOf(bound));
  auto &[program, work] = it->second;
  if (isNew)
    if (ExitCode code = compiler.buildProgram(bound, program, &work);
        code != Success) {
      programs.erase(it);
      return code;
    }
  out = program;
  lastWork = work;
  return Success;
}

ExitCode ProgramSource::open(const std::string &path,
                             const ModelOptions &options,
                             std::unique_ptr<ProgramSource> &out) {
  if (std::string error = checkModelOptions(options); !error.empty()) {
    printError("mkc", error);
    return BadInput;
  }
  if (isPackage(path)) {
    if (std::string error = checkPackageOptions(options); !error.empty()) {
      printError(path, error);
      return BadInput;
    }
    ProgramPtr program;
    if (mkrt::host::Error error = Program::load(path, program)) {
      printError(path, error.message);
      return exitCode(error);
    }
    out = std::make_unique<PackageSource>(std::move(program));
    return Success;
  }
  auto source = std::make_unique<ModelSource>(options);
  ExitCode code = source->load(path);
  out = std::move(source);
  return code;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static std::string constantError(const std::string &name) {
  return "'" + name +
         "' has an initializer, so it is a constant of the model and can't be "
         "fed";
}

std::string mkc::driver::readGivenInputs(const RunOptions &options,
                                         const ProgramSource &source,
                                         TensorMap &out, RunOptions &fills) {
  std::vector<std::string> names = source.inputNames();
  std::vector<std::string> constants = source.constantInputs();
  if (!options.inputsFile.empty()) {
    mkrt::io::NamedTensors arrays;
    if (std::string error = mkrt::io::readNpz(
            options.inputsFile,
            [&](const std::string &name) {
              return llvm::is_contained(names, name) ||
                     llvm::is_contained(constants, name);
            },
            arrays);
        !error.empty())
      return error;
    for (auto &[name, tensor] : arrays) {
      if (llvm::is_contained(constants, name))
        return options.inputsFile + ": " + constantError(name);
      out[name] = std::move(tensor);
    }
  }
  for (const std::string &spec : options.inputs) {
    size_t index;
    std::string what;
    if (splitInput(spec, constants, index, what).empty())
      return constantError(constants[index]);
    std::string error = splitInput(spec, names, index, what);
    if (!error.empty())
      return error;
    if (mkrt::io::parseFill(what, error))
      fills.inputs.push_back(spec);
    else if (error.empty())
      error = readInputFile(what, out[names[index]]);
    if (!error.empty())
      return error;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Takes over a given tensor. Returns an error text, or an empty string.
static std::string takeInput(const mkrt::format::PackageView &view, size_t i,
                             mkrt::io::Tensor &given, mkrt::io::Tensor &out) {
  const mkrt::format::PortInfo &port = view.inputs()[i];
  std::string subject = "input '" + std::string(view.string(port.name)) + "' ";
  if (std::string error = mkrt::io::restoreType(given, port.type);
      !error.empty())
    return subject + error;
  auto wanted = view.shape(port);
  if (!std::ranges::equal(given.shape(), wanted))
    return subject + "has shape " + mkrt::io::shapeText(given.shape()) +
           ", expected " + mkrt::io::shapeText(wanted);
  out = std::move(given);
  return {};
}

mkrt::host::Error BoundProgram::create(ProgramPtr program, TensorMap &given,
                                       const RunOptions &fills,
                                       BoundProgram &out) {
  using mkrt::host::ErrorCode;
  out.program = std::move(program);
  const mkrt::format::PackageView &view = out.view();
  // What `fills` asks for has been checked: only memory can be missing.
  std::string error = prepareInputs(view, fills, out.ins);
  if (error.empty())
    error = allocateOutputs(view, out.outs);
  if (!error.empty())
    return {ErrorCode::OutOfMemory, error};
  for (size_t i = 0; i < out.ins.size(); ++i)
    if (auto found = given.find(out.inputName(i)); found != given.end())
      if (error = takeInput(view, i, found->second, out.ins[i]); !error.empty())
        return {ErrorCode::InvalidArgument, error};
  mkrt::host::Error failed =
      mkrt::host::Context::create(out.program, out.context);
  for (size_t i = 0; i < out.ins.size() && !failed; ++i)
    failed = out.context->bindInput(i, out.ins[i].bytes().data());
  for (size_t i = 0; i < out.outs.size() && !failed; ++i)
    failed = out.context->bindOutput(i, out.outs[i].bytes().data());
  return failed;
}

mkrt::host::Error BoundProgram::run(unsigned threads,
                                    mkrt::host::Profile *profile) {
  mkrt::host::RunOptions options;
  options.profile = profile;
  options.threads = threads;
  return context->run(options);
}

std::string BoundProgram::inputName(size_t i) const {
  return std::string(view().string(view().inputs()[i].name));
}

std::string BoundProgram::outputName(size_t i) const {
  return std::string(view().string(view().outputs()[i].name));
}

std::string BoundProgram::writeInputs(const std::string &path) const {
  std::vector<std::pair<std::string, const mkrt::io::Tensor *>> named;
  for (size_t i = 0; i < ins.size(); ++i)
    named.emplace_back(inputName(i), &ins[i]);
  return mkrt::io::writeNpz(path, named);
}
