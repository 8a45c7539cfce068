//===- CompilerTest.cpp - Tests of failures of a compilation --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Compiler.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace mkc;
using namespace mkc::driver;
using namespace mkrt::cli;

namespace {

std::string readText(const std::filesystem::path &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void writeText(const std::filesystem::path &path, const std::string &text) {
  std::ofstream(path) << text;
}

/// A model in text whose shapes depend on the value of `s`, and the package
/// that it compiles to for `s = [3, 2]`.
class CompilerTest : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    writeText(folder / "model.mlir", R"mlir(
      func.func @main(%x: tensor<?x3xf32> {onnx.name = "x", onnx.dims = ["n", 3]},
                      %s: tensor<2xi64> {onnx.name = "s", onnx.dims = [2]})
          -> (!onnx.unknown {onnx.name = "y"}) {
        %r = onnx.node "Reshape" (%x, %s) {domain = "", opset = 17 : i64, node_attributes = {}}
            : (tensor<?x3xf32>, tensor<2xi64>) -> !onnx.unknown
        %y = onnx.node "Relu" (%r) {domain = "", opset = 17 : i64, node_attributes = {}}
            : (!onnx.unknown) -> !onnx.unknown
        return %y : !onnx.unknown
      })mlir");
    options.dumpReproducer = folder / "reproducer";
    options.jobs = 1;
  }

  /// Loads a file of level 1 and compiles it as far as it goes.
  void compileFile(const std::filesystem::path &path, const TensorMap &values) {
    state.reset(); // before what it refers to
    compiler = std::make_unique<Compiler>(options);
    state = std::make_unique<CompileState>(compiler->weightStore());
    ASSERT_EQ(compiler->loadText(path, phases().front()), Success);
    Dims dims({});
    ASSERT_EQ(compiler->dims(dims), Success);
    if (!values.empty())
      ASSERT_EQ(dims.observe("x", {2, 3}), "");
    ASSERT_EQ(compiler->bind(dims, values, {}, inputs), Success);
    ASSERT_EQ(compiler->compile(inputs, phases().back(), *state), Success);
    ASSERT_TRUE(state->package);
  }

  void compileModel() {
    TensorMap values;
    std::vector<int64_t> shape = {3, 2};
    ASSERT_EQ(mkrt::io::Tensor::allocate(mkrt::format::types::Int64, {2},
                                         values["s"]),
              "");
    std::memcpy(values["s"].bytes().data(), shape.data(), 16);
    compileFile(folder / "model.mlir", values);
  }

  /// Makes a tile read outside of its buffers.
  void breakPackage() {
    ASSERT_FALSE(state->package->parts.accessCode.empty());
    for (mkrt::format::AccessInstr &instr : state->package->parts.accessCode)
      if (instr.op == mkrt::format::AccessOp::Constant)
        instr.imm += 1 << 20;
  }

  std::filesystem::path folder;
  ModelOptions options;
  ConvertOptions inputs;
  std::unique_ptr<Compiler> compiler;
  std::unique_ptr<CompileState> state;
};

} // namespace

// Tests that a package which the verifier refuses is an internal error, that
// the file of that name stays, and that no other file is left.
TEST_F(CompilerTest, KeepsAGoodFileWhenItsOwnPackageIsRefused) {
  ASSERT_NO_FATAL_FAILURE(compileModel());
  std::filesystem::path good = folder / "out.mkp";
  writeText(good, "good");
  ASSERT_NO_FATAL_FAILURE(breakPackage());
  EXPECT_EQ(compiler->writePackage(inputs, *state->package, good),
            InternalError);
  EXPECT_EQ(readText(good), "good");
  EXPECT_TRUE(std::filesystem::exists(folder / "reproducer/reproducer.mlir"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 3);
}

// Tests that a good package replaces what was there.
TEST_F(CompilerTest, ReplacesAFileByACheckedPackage) {
  ASSERT_NO_FATAL_FAILURE(compileModel());
  writeText(folder / "out.mkp", "old");
  EXPECT_EQ(compiler->writePackage(inputs, *state->package, folder / "out.mkp"),
            Success);
  std::shared_ptr<const mkrt::host::Program> program;
  EXPECT_FALSE(mkrt::host::Program::load(folder / "out.mkp", program));
  EXPECT_FALSE(std::filesystem::exists(folder / "reproducer"));
}

// Tests that commands which run what they compile write a reproducer, too, and
// that it gives the same program: its dims and the values of its inputs are
// those of the failure.
TEST_F(CompilerTest, ReproducerHoldsDimsAndValues) {
  ASSERT_NO_FATAL_FAILURE(compileModel());
  std::vector<mkrt::format::Record> records = state->package->parts.records;
  std::vector<int64_t> dims = state->package->parts.dims;
  ASSERT_NO_FATAL_FAILURE(breakPackage());
  std::shared_ptr<const mkrt::host::Program> program;
  EXPECT_EQ(compiler->loadPackage(inputs, *state->package, program),
            InternalError);
  EXPECT_FALSE(program);

  inputs = {};
  options.dumpReproducer.clear();
  ASSERT_NO_FATAL_FAILURE(
      compileFile(folder / "reproducer/reproducer.mlir", {}));
  EXPECT_EQ(state->package->parts.dims, dims);
  EXPECT_EQ(state->package->parts.records.size(), records.size());
  EXPECT_EQ(compiler->loadPackage(inputs, *state->package, program), Success);
}

// Tests that errors may say of what kind they are, that the gravest counts, and
// that those which say nothing mean what the phase says.
TEST(FailureKind, TheGravestErrorCounts) {
  mlir::MLIRContext context;
  DiagnosticPrinter printer(context, llvm::nulls());
  mlir::Location loc = mlir::UnknownLoc::get(&context);
  auto markedError = [&](FailureKind kind) {
    (void)(markFailure(mlir::emitError(loc), kind) << "marked");
  };
  EXPECT_EQ(printer.takeFailure(FailureKind::Internal), FailureKind::Internal);
  EXPECT_EQ(printer.takeFailure(FailureKind::BadInput), FailureKind::BadInput);
  markedError(FailureKind::BadInput);
  EXPECT_EQ(printer.takeFailure(FailureKind::Internal), FailureKind::BadInput);
  markedError(FailureKind::Resources);
  markedError(FailureKind::BadInput);
  EXPECT_EQ(printer.takeFailure(FailureKind::Internal), FailureKind::Resources);
  markedError(FailureKind::BadInput);
  mlir::emitError(loc) << "unmarked";
  EXPECT_EQ(printer.takeFailure(FailureKind::Internal), FailureKind::Internal);
  mlir::emitError(loc) << "unmarked";
  EXPECT_EQ(printer.takeFailure(FailureKind::BadInput), FailureKind::BadInput);
  mlir::emitWarning(loc) << "no failure";
  EXPECT_EQ(printer.takeFailure(FailureKind::Internal), FailureKind::Internal);
}
