//===- HostObjects.cpp - Objects of all host variants ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/package/HostObjects.h"

#include <atomic>
#include <thread>

using namespace mlir;
using namespace mkc;

LogicalResult HostObjects::compile(ModuleOp module, const host::HostCpu &cpu,
                                   unsigned jobs) {
  SmallVector<mk::VariantOp> variants(module.getOps<mk::VariantOp>());
  std::vector<FailureOr<std::string>> results(variants.size(), failure());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < variants.size(); i = next++)
      results[i] = host::compileVariant(variants[i], cpu);
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < std::min<size_t>(jobs, variants.size()); ++t)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  for (auto [variant, result] : llvm::zip(variants, results)) {
    if (failed(result))
      return variant.emitError("no code could be generated for this kernel");
    objects[variant.getSymName()] = std::move(*result);
  }
  return success();
}

std::string HostObjects::link(ArrayRef<StringRef> names,
                              std::vector<std::byte> &shared) const {
  SmallVector<std::string> inputs;
  for (StringRef name : names)
    inputs.push_back(objects.lookup(name));
  return host::linkObjects(inputs, shared);
}
