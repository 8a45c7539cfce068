//===- Programs.h - Programs from packages and from models ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Compiler.h"
#include "runtime/cli/RunOptions.h"
#include "runtime/host/Context.h"

namespace mkc::driver {

/// What commands run: a package, or a model that is compiled for the shapes of
/// the inputs. Whatever fails is reported on standard error.
class ProgramSource {
public:
  virtual ~ProgramSource() = default;

  /// The program for these inputs. Inputs that are missing take what `--dim`
  /// and the others say about their shape, and their values, where shapes
  /// depend on them, from `fills`.
  virtual mkrt::cli::ExitCode
  programFor(const TensorMap &inputs, const mkrt::cli::RunOptions &fills,
             std::shared_ptr<const mkrt::host::Program> &out) = 0;
  /// Inputs that cannot be fed.
  virtual std::vector<std::string> constantInputs() const { return {}; }
  virtual std::vector<std::string> inputNames() const = 0;
  virtual std::vector<std::string> outputNames() const = 0;
  virtual const std::vector<Unsupported> &unsupported() const;
  /// The work of the program made last, if known.
  virtual const Work &work() const;

  /// Opens a model or, if its name ends in `.mkp`, a package.
  static mkrt::cli::ExitCode open(const std::string &path,
                                  const ModelOptions &options,
                                  std::unique_ptr<ProgramSource> &out);
};

inline bool isPackage(const std::string &path) {
  return path.ends_with(".mkp");
}

/// A program with its inputs and outputs in memory, ready to run many times.
class BoundProgram {
public:
  /// Takes what it needs from `given`; other inputs are filled as `fills` says,
  /// or random. Types that files lack are restored.
  static mkrt::host::Error
  create(std::shared_ptr<const mkrt::host::Program> program, TensorMap &given,
         const mkrt::cli::RunOptions &fills, BoundProgram &out);

  /// `profile`, if given, takes the times of the run's records.
  mkrt::host::Error run(unsigned threads,
                        mkrt::host::Profile *profile = nullptr);
  /// Writes the inputs as a .npz file. Returns an error text, or an empty
  /// string.
  std::string writeInputs(const std::string &path) const;
  const mkrt::format::PackageView &view() const { return program->view(); }
  std::string inputName(size_t i) const;
  std::string outputName(size_t i) const;
  const std::vector<mkrt::io::Tensor> &inputs() const { return ins; }
  const std::vector<mkrt::io::Tensor> &outputs() const { return outs; }

private:
  std::shared_ptr<const mkrt::host::Program> program;
  std::vector<mkrt::io::Tensor> ins, outs;
  std::unique_ptr<mkrt::host::Context> context;
};

/// Reads `--inputs` and those of `--input` that name a file. `zeros` and
/// `random` say nothing about shapes, and are left for `fills`. Refuses inputs
/// that the program does not have or that are constants. Returns an error text,
/// or an empty string.
std::string readGivenInputs(const mkrt::cli::RunOptions &options,
                            const ProgramSource &source, TensorMap &out,
                            mkrt::cli::RunOptions &fills);

} // namespace mkc::driver
