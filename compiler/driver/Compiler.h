//===- Compiler.h - Compiling one model -----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Dims.h"
#include "compiler/driver/Options.h"
#include "compiler/driver/Phases.h"
#include "compiler/driver/Progress.h"
#include "runtime/cli/ExitCode.h"
#include "runtime/host/Program.h"
#include "runtime/io/Tensor.h"

#include "llvm/Support/ThreadPool.h"

namespace mkc::driver {

/// Tensors by the name of the model's input or output.
using TensorMap = std::map<std::string, mkrt::io::Tensor>;

/// Operations of a program, roughly.
struct Work {
  uint64_t contractions = 0;               ///< Per run.
  std::map<std::string, uint64_t> kernels; ///< Per launch, by entry point.
};

/// A model, imported once, that is compiled for one or more sets of shapes.
/// Whatever fails is reported on standard error; functions return how the
/// command ends.
class Compiler {
public:
  explicit Compiler(const ModelOptions &options);
  ~Compiler();

  /// Imports a model, and refuses one without outputs, or with operators or
  /// types that are not supported, unless only the import is wanted.
  mkrt::cli::ExitCode load(const std::string &path, bool importOnly = false);
  /// Reads the IR that `phase` has printed.
  mkrt::cli::ExitCode loadText(const std::string &path, const Phase &phase);

  /// The model's dims with the user's requests.
  mkrt::cli::ExitCode dims(Dims &out) const;
  /// Inputs that are constants because they have an initialiser.
  std::vector<std::string> constantInputs() const;
  std::vector<std::string> outputNames() const;
  const std::vector<Unsupported> &unsupported() const { return missing; }

  /// Binds shapes, and values of the inputs that shapes depend on: those in
  /// `values`, or else what `fills` (NAME=zeros, NAME=random...) says.
  mkrt::cli::ExitCode bind(const Dims &dims, const TensorMap &values,
                           const std::vector<std::string> &fills,
                           ConvertOptions &out) const;

  /// Runs the phases from the loaded one to `last` on a copy of the model.
  mkrt::cli::ExitCode compile(const ConvertOptions &inputs, const Phase &last,
                              CompileState &state);
  /// Checks a package that was compiled for `inputs` and loads it.
  mkrt::cli::ExitCode
  loadPackage(const ConvertOptions &inputs, const Package &package,
              std::shared_ptr<const mkrt::host::Program> &out);
  /// Writes such a package. It gets its name, and replaces what has that name,
  /// only once what was written is checked.
  mkrt::cli::ExitCode writePackage(const ConvertOptions &inputs,
                                   const Package &package,
                                   const std::string &path);
  /// Compiles, checks the schedule and loads the program.
  mkrt::cli::ExitCode
  buildProgram(const ConvertOptions &inputs,
               std::shared_ptr<const mkrt::host::Program> &out,
               Work *work = nullptr);

  onnx::WeightStore &weightStore() { return weights; }
  const std::string &path() const { return modelPath; }

private:
  mkrt::cli::ExitCode fail(const llvm::Twine &message,
                           mkrt::cli::ExitCode code) const;
  mkrt::cli::ExitCode makeValue(const std::string &name,
                                llvm::ArrayRef<int64_t> shape,
                                const std::vector<std::string> &fills,
                                mkrt::io::Tensor &out) const;
  mkrt::cli::ExitCode runPhase(const Phase &phase, CompileState &state);
  void writeReproducer(const ConvertOptions &inputs);
  mkrt::cli::ExitCode writeDirectly(const ConvertOptions &inputs,
                                    const Package &package,
                                    const std::string &path);
  mkrt::cli::ExitCode encode(const ConvertOptions &inputs,
                             const Package &package, mkrt::host::Mapping &out);
  mkrt::cli::ExitCode refuseOwnPackage(const ConvertOptions &inputs,
                                       const std::string &error);

  const ModelOptions &options;
  std::string modelPath;
  Progress progress;
  std::unique_ptr<llvm::ThreadPoolInterface> threads;
  mlir::MLIRContext context;
  DiagnosticPrinter diagnostics;
  onnx::WeightStore weights;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  size_t phasesDone = 0; ///< Of the loaded module.
  std::vector<Unsupported> missing;
  std::vector<std::string> needed;
};

/// Checks an encoded package: its content and its schedule. Returns an error
/// text, or an empty string.
std::string checkPackage(const mkrt::format::PackageView &view);

/// Prints `{"unsupported": [...]}`.
void printUnsupported(const std::vector<Unsupported> &unsupported);

} // namespace mkc::driver
