//===- EmitCuda.cpp - The CUDA text of a compilation ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/EmitCuda.h"

#include "codegen/cuda/variant/EmitText.h"
#include "dialects/mk/NodeNames.h"
#include "runtime/format/AtomicFile.h"

#include "llvm/ADT/SetVector.h"

#include <filesystem>

using namespace mlir;
using namespace mkc;
using namespace mkc::driver;
using namespace mkrt::cli;

/// The variants that launches of a run use, in the order of their first use.
static llvm::SetVector<StringRef> usedVariants(ModuleOp module) {
  llvm::SetVector<StringRef> names;
  module.walk([&](mk::LaunchOp launch) {
    if (!launch.getCompileTime())
      names.insert(launch.getCallee());
  });
  return names;
}

static std::string writeText(const std::filesystem::path &path,
                             const std::string &text) {
  mkrt::format::AtomicFile file(path.string());
  file.write(std::as_bytes(std::span(text)));
  return file.commit();
}

ExitCode mkc::driver::writeCuda(CompileState &state,
                                const std::string &folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    printError(folder, failed.message());
    return RunFailed;
  }
  std::string error;
  std::vector<cuda::ProgramKernel> kernels;
  for (StringRef name : usedVariants(*state.module)) {
    auto variant = state.module->lookupSymbol<mk::VariantOp>(name);
    unsigned id = unsigned(kernels.size());
    FailureOr<cuda::CudaModule> module = cuda::emitModule(variant, id);
    if (mlir::failed(module))
      return InternalError;
    kernels.push_back({id, /*hasLoad=*/false, /*hasCompute=*/true,
                       mk::nodeNames(variant.getLoc())});
    std::string file = "k" + std::to_string(id) + "_" + name.str() + ".cu";
    error = writeText(std::filesystem::path(folder) / file, module->text);
    if (!error.empty())
      break;
  }
  if (error.empty())
    error = writeText(std::filesystem::path(folder) / "program.cu",
                      cuda::programText(kernels));
  if (error.empty())
    return Success;
  printError(folder, error);
  return RunFailed;
}
