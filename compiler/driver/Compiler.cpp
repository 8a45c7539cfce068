//===- Compiler.cpp - Compiling one model ---------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Compiler.h"

#include "compiler/onnx/DataTypes.h"
#include "compiler/onnx/Import.h"
#include "compiler/onnx/TensorData.h"
#include "compiler/pipeline/Pipeline.h"
#include "runtime/format/AtomicFile.h"
#include "runtime/host/Cpu.h"
#include "runtime/host/Memory.h"
#include "runtime/io/Fill.h"
#include "runtime/verify/Verify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "nlohmann/json.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <unistd.h>

using namespace mlir;
using namespace mkc;
using namespace mkc::driver;
using namespace mkrt::cli;

static DialectRegistry allDialects() {
  DialectRegistry registry;
  registerEverything(registry);
  return registry;
}

static unsigned jobCount(const ModelOptions &options) {
  return options.jobs ? options.jobs : mkrt::host::availableCpus();
}

Compiler::Compiler(const ModelOptions &options)
    : options(options), threads(std::make_unique<llvm::DefaultThreadPool>(
                            llvm::hardware_concurrency(jobCount(options)))),
      context(allDialects(), MLIRContext::Threading::DISABLED),
      diagnostics(context, llvm::errs()) {
  if (jobCount(options) > 1)
    context.setThreadPool(*threads);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // locations name the node
  diagnostics.setShowRemarks(options.remarks);
  diagnostics.setBeforePrint([this] { progress.clear(); });
}

Compiler::~Compiler() = default;

ExitCode Compiler::fail(const llvm::Twine &message, ExitCode code) const {
  printError(modelPath, message.str());
  return code;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

ExitCode Compiler::load(const std::string &path, bool importOnly) {
  modelPath = path;
  progress.setText("importing");
  CompileState state(weights);
  state.module = importOnnx(path, context);
  if (!state.module)
    return BadInput;
  diagnostics.learnNodes(*state.module);
  if (ExitCode code = runPhase(phases().front(), state); code != Success)
    return code;
  diagnostics.learnNodes(*state.module);
  module = std::move(state.module);
  phasesDone = 1;
  if (importOnly)
    return Success;
  if (outputNames().empty())
    return fail("the graph has no outputs, so there is nothing to compute",
                BadInput);
  missing = collectUnsupported(*module);
  if (!missing.empty()) // the conversion reports them before it does anything
    return failed(convertOnnxToNn(*module, {})) ? BadInput : InternalError;
  needed = inputsThatShapesNeed(*module);
  return Success;
}

ExitCode Compiler::loadText(const std::string &path, const Phase &phase) {
  modelPath = path;
  CompileState state(weights);
  state.module = parseSourceFile<ModuleOp>(path, &context);
  if (!state.module || (phase.verify && failed(phase.verify(state))))
    return BadInput;
  module = std::move(state.module);
  (void)diagnostics.takeFailure(FailureKind::BadInput); // none of a phase's
  diagnostics.learnNodes(*module);
  phasesDone = &phase - phases().begin() + 1;
  if (phasesDone == 1)
    needed = inputsThatShapesNeed(*module);
  return Success;
}

std::vector<std::string> Compiler::constantInputs() const {
  std::vector<std::string> names;
  if (auto constants =
          (*module)->getAttrOfType<ArrayAttr>("onnx.constant_inputs"))
    for (Attribute name : constants)
      names.push_back(cast<StringAttr>(name).str());
  return names;
}

std::vector<std::string> Compiler::outputNames() const {
  std::vector<std::string> names;
  auto main = (*module).lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; main && i < main.getNumResults(); ++i) {
    auto name = main.getResultAttrOfType<StringAttr>(i, "onnx.name");
    names.push_back(name ? name.str() : "");
  }
  return names;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

ExitCode Compiler::dims(Dims &out) const {
  // Behind the conversion all shapes are fixed.
  out = phasesDone == 1 ? Dims::ofModule(*module) : Dims({});
  for (const std::string &text : options.dims) {
    DimRequest request;
    std::string error = parseDimRequest(text, request);
    if (error.empty())
      error = out.request(request);
    if (!error.empty())
      return fail(error, BadInput);
  }
  return Success;
}

/// A tensor as an attribute, to be folded.
static DenseElementsAttr toAttribute(const mkrt::io::Tensor &tensor,
                                     MLIRContext *context) {
  auto type = RankedTensorType::get(
      ArrayRef(tensor.shape().data(), tensor.shape().size()),
      onnx::elementType(context, tensor.type()));
  onnx::TensorData data;
  data.bytes = {reinterpret_cast<const char *>(tensor.bytes().data()),
                tensor.bytes().size()};
  return onnx::toDense(data, tensor.type(), type);
}

/// Makes the value of an input as the first of `fills` for it says.
ExitCode Compiler::makeValue(const std::string &name, ArrayRef<int64_t> shape,
                             const std::vector<std::string> &fills,
                             mkrt::io::Tensor &out) const {
  for (StringRef spec : fills) {
    std::string error;
    std::optional<mkrt::io::Fill> fill;
    if (spec.consume_front(name + "="))
      fill = mkrt::io::parseFill(spec.str(), error);
    if (!fill)
      continue;
    auto main = (*module).lookupSymbol<func::FuncOp>("main");
    std::optional<mkrt::format::DataType> type;
    for (BlockArgument argument : main.getArguments())
      if (main.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                            "onnx.name") == name)
        type = onnx::dataTypeOf(getElementTypeOrSelf(argument.getType()));
    if (!type)
      return fail("input '" + name + "' has no type that could be made up",
                  BadInput);
    error = mkrt::io::Tensor::allocate(*type, shape.vec(), out);
    if (!error.empty())
      return fail("input '" + name + "': " + error, RunFailed);
    mkrt::io::fillTensor(out, *fill, name);
    return Success;
  }
  return fail("shapes in the model depend on the value of input '" + name +
                  "', which is not given",
              BadInput);
}

ExitCode Compiler::bind(const Dims &dims, const TensorMap &values,
                        const std::vector<std::string> &fills,
                        ConvertOptions &out) const {
  if (std::vector<std::string> unbound = dims.unbound(); !unbound.empty()) {
    std::string list = "'" + llvm::join(unbound, "', '") + "'";
    return fail("dims without a size: " + list +
                    "; bind each with --dim NAME=N",
                BadInput);
  }
  if (std::vector<std::string> ranges = dims.ranges(); !ranges.empty())
    return fail("--dim " + llvm::join(ranges, ", --dim ") +
                    ": this version compiles for one size of a dim, not for a "
                    "range; give --dim NAME=N, or inputs that have the size",
                BadInput);
  for (const Dims::Input &input : dims.inputs()) {
    std::vector<int64_t> shape = *dims.shape(input.name);
    out.inputShapes[input.name] = {shape.begin(), shape.end()};
  }
  for (const std::string &name : needed) {
    auto given = values.find(name);
    mkrt::io::Tensor made;
    if (given == values.end())
      if (ExitCode code =
              makeValue(name, out.inputShapes.lookup(name), fills, made);
          code != Success)
        return code;
    out.inputValues[name] =
        toAttribute(given == values.end() ? made : given->second,
                    const_cast<MLIRContext *>(&context));
  }
  return Success;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// Writes a module as text into a folder. Returns an error text, or an empty
/// string.
static std::string writeModule(ModuleOp module, const std::string &folder,
                               const llvm::Twine &name) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return folder + ": " + error.message();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  text += '\n';
  mkrt::format::AtomicFile file((folder + "/" + name).str());
  file.write(std::as_bytes(std::span(text)));
  return file.commit();
}

/// Writes the model, with its dims and the values that it is compiled for, such
/// that compiling it again shows an internal error again.
void Compiler::writeReproducer(const ConvertOptions &inputs) {
  if (options.dumpReproducer.empty())
    return;
  OwningOpRef<ModuleOp> copy = module->clone();
  auto main = copy->lookupSymbol<func::FuncOp>("main");
  Builder builder(&context);
  for (unsigned i = 0; main && i < main.getNumArguments(); ++i) {
    auto name = main.getArgAttrOfType<StringAttr>(i, "onnx.name");
    StringRef key = name ? name.getValue() : "";
    auto shape = inputs.inputShapes.find(key);
    if (shape != inputs.inputShapes.end())
      main.setArgAttr(i, "onnx.dims", builder.getI64ArrayAttr(shape->second));
    auto value = inputs.inputValues.find(key);
    if (value != inputs.inputValues.end())
      main.setArgAttr(i, "onnx.value", value->second);
  }
  std::string error =
      writeModule(*copy, options.dumpReproducer, "reproducer.mlir");
  if (!error.empty()) {
    printError(options.dumpReproducer, error);
    return;
  }
  llvm::errs() << "mkc: note: to see the error again: mkc compile "
               << options.dumpReproducer << "/reproducer.mlir --compile-from="
               << phases()[phasesDone - 1].name << " -o out.mkp\n";
}

static ExitCode exitCodeOf(FailureKind kind) {
  switch (kind) {
  case FailureKind::BadInput:
    return BadInput;
  case FailureKind::Resources:
    return RunFailed;
  case FailureKind::Internal:
    return InternalError;
  }
  return InternalError;
}

ExitCode Compiler::runPhase(const Phase &phase, CompileState &state) {
  size_t index = &phase - phases().begin();
  progress.setText("[" + std::to_string(index + 1) + "/" +
                   std::to_string(phases().size()) + "] " + phase.name.str());
  auto start = std::chrono::steady_clock::now();
  LogicalResult result = phase.run(state);
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  progress.clear();
  if (options.profileCompile)
    llvm::errs() << llvm::format("%-10s %10.1f ms\n", phase.name.data(),
                                 time.count());
  FailureKind kind = diagnostics.takeFailure(phase.onFailure);
  if (failed(result)) {
    if (kind == FailureKind::Internal)
      fail("compiling failed in the phase '" + phase.name +
               "': this is a mistake of mkc's",
           InternalError);
    return exitCodeOf(kind);
  }
  if (!options.dumpPhasesTo.empty())
    if (std::string error =
            writeModule(*state.module, options.dumpPhasesTo,
                        llvm::Twine(index + 1) + "-" + phase.name + ".mlir");
        !error.empty())
      return fail(error, RunFailed);
  return Success;
}

ExitCode Compiler::compile(const ConvertOptions &inputs, const Phase &last,
                           CompileState &state) {
  state.module = module->clone();
  state.inputs = inputs;
  state.build.jobs = jobCount(options);
  state.build.model = modelPath;
  state.chip = gpuTarget(options);
  if (std::string error = host::resolveCpu(options.hostCpu, state.build.cpu);
      !error.empty())
    return fail(error, BadInput);
  for (const Phase &phase : phases().drop_front(phasesDone)) {
    if (&phase > &last)
      break;
    if (ExitCode code = runPhase(phase, state); code != Success) {
      missing = std::move(state.unsupported);
      if (code == InternalError)
        writeReproducer(inputs);
      return code;
    }
  }
  return Success;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

std::string mkc::driver::checkPackage(const mkrt::format::PackageView &view) {
  mkrt::verify::VerifyResult result = mkrt::verify::verifySchedule(view);
  return result.ok ? std::string() : result.message;
}

ExitCode Compiler::refuseOwnPackage(const ConvertOptions &inputs,
                                    const std::string &error) {
  writeReproducer(inputs);
  return fail("mkc refuses its own package: " + error, InternalError);
}

/// Encodes where a program keeps it: weights may be most of the memory.
ExitCode Compiler::encode(const ConvertOptions &inputs, const Package &package,
                          mkrt::host::Mapping &out) {
  mkrt::host::Error noMemory;
  std::string error = mkrt::format::encodePackage(
      package.parts, package.weights, package.weightBytes,
      [&](uint64_t size) -> std::span<std::byte> {
        noMemory = mkrt::host::Mapping::allocate(size, "a package", out);
        return {out.data(), out.size()};
      });
  if (noMemory)
    return fail(noMemory.message, exitCode(noMemory));
  return error.empty() ? Success : refuseOwnPackage(inputs, error);
}

ExitCode
Compiler::loadPackage(const ConvertOptions &inputs, const Package &package,
                      std::shared_ptr<const mkrt::host::Program> &out) {
  mkrt::host::Mapping bytes;
  if (ExitCode code = encode(inputs, package, bytes); code != Success)
    return code;
  if (mkrt::host::Error error =
          mkrt::host::Program::load(std::move(bytes), out))
    return error.code == mkrt::host::ErrorCode::BadPackage
               ? refuseOwnPackage(inputs, error.message)
               : fail(error.message, exitCode(error));
  if (std::string error = checkPackage(out->view()); !error.empty()) {
    out.reset();
    return refuseOwnPackage(inputs, error);
  }
  return Success;
}

/// Checks a package's file. Returns an error text, or an empty string.
static std::string checkPackageFile(const std::string &path) {
  std::shared_ptr<const mkrt::host::Program> program;
  mkrt::host::Error error = mkrt::host::Program::load(path, program);
  if (!error)
    return checkPackage(program->view());
  if (error.code != mkrt::host::ErrorCode::Unsupported)
    return error.message;
  // Made for another CPU: its code can't be loaded here, the rest is checked.
  mkrt::host::Mapping file;
  if ((error = mkrt::host::Mapping::file(path, file)))
    return error.message;
  mkrt::format::PackageView view;
  std::string text = mkrt::format::PackageView::open(file.bytes(), view);
  return text.empty() ? checkPackage(view) : text;
}

/// Pipes and devices: nothing can be looked at again, so the bytes are checked
/// before they are written.
ExitCode Compiler::writeDirectly(const ConvertOptions &inputs,
                                 const Package &package,
                                 const std::string &path) {
  mkrt::host::Mapping bytes;
  if (ExitCode code = encode(inputs, package, bytes); code != Success)
    return code;
  mkrt::format::PackageView view;
  std::string error = mkrt::format::PackageView::open(bytes.bytes(), view);
  if (error.empty())
    error = checkPackage(view);
  if (!error.empty())
    return refuseOwnPackage(inputs, error);
  mkrt::format::AtomicFile file(path);
  file.write(bytes.bytes());
  error = file.commit();
  if (error.empty())
    return Success;
  printError(path, error);
  return RunFailed;
}

ExitCode Compiler::writePackage(const ConvertOptions &inputs,
                                const Package &package,
                                const std::string &path) {
  std::string target = mkrt::format::AtomicFile::replacedFile(path);
  if (target.empty())
    return writeDirectly(inputs, package, path);
  // Named such that removeTemporaries finds it.
  std::string unchecked =
      target + ".tmp." + std::to_string(getpid()) + ".unchecked";
  std::string error = mkrt::format::writePackage(
      unchecked, package.parts, package.weights, package.weightBytes);
  if (!error.empty()) {
    if (llvm::StringRef(error).starts_with(unchecked))
      error = path + error.substr(unchecked.size());
    printError(path, error);
    return RunFailed;
  }
  error = checkPackageFile(unchecked);
  std::error_code failed;
  if (error.empty())
    failed = llvm::sys::fs::rename(unchecked, target);
  if (!error.empty() || failed)
    llvm::sys::fs::remove(unchecked);
  if (!error.empty())
    return refuseOwnPackage(inputs, error);
  if (!failed)
    return Success;
  printError(path, "cannot rename the finished file: " + failed.message());
  return RunFailed;
}

ExitCode Compiler::buildProgram(const ConvertOptions &inputs,
                                std::shared_ptr<const mkrt::host::Program> &out,
                                Work *work) {
  CompileState state(weights);
  if (ExitCode code = compile(inputs, phases().back(), state); code != Success)
    return code;
  if (work) {
    work->contractions = state.flops;
    for (auto variant : state.module->getOps<mk::VariantOp>())
      work->kernels[variant.getSymName().str()] = variant.getFlops();
  }
  return loadPackage(inputs, *state.package, out);
}

void mkc::driver::printUnsupported(
    const std::vector<Unsupported> &unsupported) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Unsupported &entry : unsupported)
    list.push_back({{"domain", entry.domain},
                    {"op_type", entry.opType},
                    {"opset", entry.opset},
                    {"type", entry.type},
                    {"node", entry.node}});
  nlohmann::ordered_json result = {{"unsupported", std::move(list)}};
  llvm::outs() << result.dump(-1, ' ', false,
                              nlohmann::json::error_handler_t::replace)
               << "\n";
}
