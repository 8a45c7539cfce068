//===- HostRun.cpp - Compile a level-2 function and compare ---------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/compiler/HostRun.h"

#include "compiler/package/Build.h"
#include "compiler/pipeline/Pipeline.h"
#include "passes/graph/Interpreter/Interpreter.h"

#include "mkrt/mkrt.hpp"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mkc;
using namespace mkc::test;

static DialectRegistry createRegistry() {
  DialectRegistry registry;
  registerEverything(registry);
  return registry;
}

HostRun::HostRun() : context(createRegistry()) {
  context.loadAllAvailableDialects();
}

RankedTensorType HostRun::tensor(ArrayRef<int64_t> shape, Type element) {
  return RankedTensorType::get(shape,
                               element ? element : Float32Type::get(&context));
}

void HostRun::build(ArrayRef<RankedTensorType> inputs, Body body) {
  Location loc = UnknownLoc::get(&context);
  module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  SmallVector<Type> inputTypes(inputs.begin(), inputs.end());
  auto main = func::FuncOp::create(builder, loc, "main",
                                   builder.getFunctionType(inputTypes, {}));
  Block *entry = main.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  NnBuilder nn(builder, NameLoc::get(builder.getStringAttr("node")));
  SmallVector<Value> results = body(nn, entry->getArguments());
  func::ReturnOp::create(builder, loc, results);
  main.setFunctionType(builder.getFunctionType(
      inputTypes,
      llvm::map_to_vector(results, [](Value v) { return v.getType(); })));
}

TensorValue HostRun::random(RankedTensorType type, int64_t low, int64_t high) {
  TensorValue value(type);
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int64_t> integer(low, high);
  Type element = type.getElementType();
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    if (element.isF32())
      value.data<float>()[i] = normal(rng);
    else if (element.isF16())
      value.data<F16>()[i] = F16(normal(rng));
    else if (element.isBF16())
      value.data<BF16>()[i] = BF16(normal(rng));
    else if (element.isInteger(1))
      value.data<uint8_t>()[i] = rng() & 1;
    else if (element.isInteger(32))
      value.data<int32_t>()[i] = int32_t(integer(rng));
    else
      value.data<int64_t>()[i] = integer(rng);
  }
  return value;
}

testing::AssertionResult HostRun::compile(std::vector<std::byte> &bytes) {
  BuildOptions options;
  if (std::string error = host::resolveCpu(cpu, options.cpu); !error.empty())
    return testing::AssertionFailure() << error;
  PassManager pm(&context);
  addGraphPasses(pm);
  addKernelPasses(pm);
  addBufferPasses(pm);
  addHostVariantPasses(pm, hostMachineOf(options.cpu.required));
  if (failed(pm.run(*module)))
    return testing::AssertionFailure() << "the passes failed";
  onnx::WeightStore store;
  FailureOr<Package> package = buildPackage(*module, store, options);
  if (failed(package))
    return testing::AssertionFailure() << "no package could be built";
  kernels = package->parts.kernels.size();
  bytes = mkrt::format::encodePackage(package->parts, package->weights,
                                      package->weightBytes);
  return testing::AssertionSuccess();
}

static testing::AssertionResult sameValues(const TensorValue &expected,
                                           const std::byte *got,
                                           double tolerance) {
  if (!isa<FloatType>(expected.getElementType())) {
    if (!std::memcmp(expected.raw(), got, expected.getNumBytes()))
      return testing::AssertionSuccess();
    return testing::AssertionFailure() << "integers differ";
  }
  TensorValue actual(expected.getType());
  std::memcpy(actual.raw(), got, expected.getNumBytes());
  TensorValue wideExpected = expected.widened(), wideActual = actual.widened();
  for (int64_t i = 0; i < expected.getNumElements(); ++i) {
    float e = wideExpected.data<float>()[i], g = wideActual.data<float>()[i];
    bool same = std::isnan(e) ? std::isnan(g)
                              : e == g || std::abs(e - g) <=
                                              tolerance * (1 + std::abs(e));
    if (!same)
      return testing::AssertionFailure()
             << "element " << i << " is " << g << ", expected " << e;
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult HostRun::agrees(ArrayRef<TensorValue> inputs,
                                         double tolerance) {
  auto main = module->lookupSymbol<func::FuncOp>("main");
  FailureOr<SmallVector<TensorValue>> expected = evaluateFunction(main, inputs);
  if (failed(expected))
    return testing::AssertionFailure() << "the interpreter failed";
  std::vector<std::byte> bytes;
  if (testing::AssertionResult compiled = compile(bytes); !compiled)
    return compiled;
  try {
    mkrt::Program program = mkrt::Program::load(bytes);
    std::vector<std::vector<std::byte>> first;
    for (uint32_t threads : {1, 3}) {
      mkrt::Context run(program);
      for (auto [i, input] : llvm::enumerate(inputs))
        if (input.getNumBytes())
          std::memcpy(run.input(i), input.raw(), input.getNumBytes());
      run.run(threads);
      for (auto [i, value] : llvm::enumerate(*expected)) {
        const std::byte *got = run.output(i);
        if (testing::AssertionResult same = sameValues(value, got, tolerance);
            !same)
          return same << " in output " << i << ", " << threads << " threads";
        if (threads == 1)
          first.emplace_back(got, got + value.getNumBytes());
        else if (value.getNumBytes() &&
                 std::memcmp(first[i].data(), got, value.getNumBytes()))
          return testing::AssertionFailure()
                 << "bits of output " << i << " depend on the threads";
      }
    }
  } catch (const mkrt::Exception &error) {
    runError = error.what();
    return testing::AssertionFailure() << runError;
  }
  return testing::AssertionSuccess();
}
