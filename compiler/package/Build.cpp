//===- Build.cpp - From launches of variants to a package -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/package/Build.h"
#include "compiler/package/HostObjects.h"
#include "compiler/package/Tables.h"
#include "dialects/FailureKind.h"
#include "runtime/host/SharedObject.h"

#include "nlohmann/json.hpp"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mkc;

/// The variants that launches use, at compile time or in a run.
static llvm::SetVector<StringRef> usedVariants(func::FuncOp main,
                                               bool compileTime) {
  llvm::SetVector<StringRef> names;
  main.walk([&](mk::LaunchOp launch) {
    if (launch.getCompileTime() == compileTime)
      names.insert(launch.getCallee());
  });
  return names;
}

/// Runs the weight-only launches with code that does not enter the package.
static LogicalResult computeWeights(ModuleOp module, func::FuncOp main,
                                    const HostObjects &objects,
                                    WeightValues &values) {
  mkrt::host::SharedObject code;
  llvm::SetVector<StringRef> names = usedVariants(main, true);
  if (!names.empty()) {
    std::vector<std::byte> shared;
    std::string error = objects.link(names.getArrayRef(), shared);
    if (error.empty())
      if (mkrt::host::Error failed = code.load(shared))
        error = failed.message;
    if (!error.empty())
      return module.emitError(error);
  }
  return values.evaluate(main, [&](StringRef variant) {
    return reinterpret_cast<mkrt::format::HostKernel>(
        code.symbol(variant.str()));
  });
}

static std::string manifest(const BuildOptions &options) {
  nlohmann::json json;
  json["model"] = options.model;
  json["target"] = "host";
  json["host_cpu"] = options.cpu.name;
  json["host_features"] = options.cpu.required;
  json["compiler"] = "mkc 0.1.0";
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

FailureOr<Package> mkc::buildPackage(ModuleOp module, onnx::WeightStore &store,
                                     const BuildOptions &options) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("has no function @main");
  if (auto outputs = main->getAttrOfType<ArrayAttr>("mk.outputs");
      !outputs || outputs.empty())
    return markFailure(
        main.emitError("has no outputs, so there is nothing to compute"),
        FailureKind::BadInput);
  HostObjects objects;
  if (failed(objects.compile(module, options.cpu, options.jobs)))
    return failure();
  Package package;
  package.values = std::make_unique<WeightValues>(store);
  if (failed(computeWeights(module, main, objects, *package.values)))
    return failure();
  llvm::SetVector<StringRef> names = usedVariants(main, false);
  if (!names.empty())
    if (std::string error =
            objects.link(names.getArrayRef(), package.parts.hostObject);
        !error.empty())
      return module.emitError(error);
  TableBuilder tables(module, main, package);
  if (failed(tables.build(names.getArrayRef(), options.schedule)))
    return failure();
  package.parts.manifest = manifest(options);
  return package;
}
