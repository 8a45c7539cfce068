//===- ApiTest.cpp - The C interface and its C++ wrapper ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mkrt/mkrt.hpp"

#include "test/unit/runtime/TestPackage.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mkrt::format;
using namespace mkrt::test;
using testing::ElementsAre;
using testing::HasSubstr;

/// An input and an output of int32[2, 4], and kernel 0, `increment` with its
/// accesses: tile i reads and writes element i.
static TestPackage emptyPackage() {
  TestPackage p(2);
  p.parts.hostObject = testKernels();
  p.input("x", types::Int32, {2, 4});
  p.output("y", types::Int32, {2, 4});
  AccessBuilder b;
  auto offset = b.mul(b.tile(), b.constant(4));
  std::vector<AccessEntry> entries = {
      b.entry(0, AccessMode::Write, offset, {}, b.constant(4)),
      b.entry(1, AccessMode::Read, offset, {}, b.constant(4))};
  p.kernel("increment", 8, 2, b, entries);
  return p;
}

static const std::vector<OperandRef> yFromX = {{Space::Output, 0, 0},
                                               {Space::Input, 0, 0}};

/// y = x + 1.
static std::vector<std::byte> incrementPackage() {
  TestPackage p = emptyPackage();
  p.record(1, 0, yFromX);
  return p.encode();
}

TEST(Api, LoadsQueriesAndRuns) {
  mkrt::Program program = mkrt::Program::load(incrementPackage());
  ASSERT_EQ(program.inputCount(), 1u);
  ASSERT_EQ(program.outputCount(), 1u);
  mkrt::TensorInfo input = program.input(0);
  EXPECT_EQ(input.name, "x");
  EXPECT_EQ(input.type, types::Int32);
  EXPECT_THAT(input.shape, ElementsAre(2, 4));
  EXPECT_EQ(input.bytes, 32u);
  EXPECT_EQ(program.output(0).name, "y");

  program.verify();
  mkrt::Context context(program);
  int32_t x[8] = {5, 6, 7}, y[8] = {};
  context.bindInput(0, x);
  context.bindOutput(0, y);
  context.run();
  EXPECT_EQ(y[2], 8);
  context.bindInput(0, nullptr);
  context.bindOutput(0, nullptr);
  context.input<int32_t>(0)[3] = 41;
  context.run(2, 1000);
  EXPECT_EQ(context.output<int32_t>(0)[3], 42);
}

TEST(Api, ContextsKeepTheirProgramAlive) {
  std::vector<std::byte> bytes = incrementPackage();
  mkrt_program program;
  ASSERT_EQ(
      mkrt_program_load_memory(bytes.data(), bytes.size(), MKRT_COPY, &program),
      nullptr);
  std::fill(bytes.begin(), bytes.end(), std::byte(0));
  mkrt_context context;
  ASSERT_EQ(mkrt_context_create(program, &context), nullptr);
  mkrt_program_release(program);
  EXPECT_EQ(mkrt_context_run(context, nullptr), nullptr);
  EXPECT_EQ(static_cast<int32_t *>(mkrt_context_output_buffer(context, 0))[0],
            1);
  mkrt_context_release(context);
}

static std::string messageOf(mkrt_status status) {
  std::string text = mkrt_status_message(status);
  mkrt_status_release(status);
  return text;
}

TEST(Api, ErrorsHaveCodesAndMessages) {
  mkrt_program program = nullptr;
  mkrt_status status = mkrt_program_load_file("/nonexistent.mkp", &program);
  EXPECT_EQ(mkrt_status_code(status), MKRT_INVALID_ARGUMENT);
  EXPECT_THAT(messageOf(status), HasSubstr("/nonexistent.mkp: cannot open"));
  status = mkrt_program_load_memory("junk", 4, MKRT_COPY, &program);
  EXPECT_EQ(mkrt_status_code(status), MKRT_BAD_PACKAGE);
  mkrt_status_release(status);
  EXPECT_EQ(program, nullptr);
  status = mkrt_program_load_memory("junk", 0, MKRT_COPY, &program);
  EXPECT_EQ(mkrt_status_code(status), MKRT_BAD_PACKAGE);
  mkrt_status_release(status);
  EXPECT_EQ(mkrt_status_code(nullptr), MKRT_OK);
  EXPECT_EQ(messageOf(nullptr), "");
  mkrt_program_release(nullptr);
  mkrt_context_release(nullptr);

  mkrt::Program good = mkrt::Program::load(incrementPackage());
  mkrt_tensor_info info;
  EXPECT_EQ(messageOf(mkrt_program_output_info(good.get(), 1, &info)),
            "port 1 does not exist: there are 1");
  mkrt::Context context(good);
  EXPECT_THROW(context.bindInput(1, nullptr), mkrt::Exception);
  EXPECT_EQ(context.output(1), nullptr);
  mkrt_run_options unset{};
  EXPECT_THAT(messageOf(mkrt_context_run(context.get(), &unset)),
              HasSubstr("struct_size"));
}

TEST(Api, CheckRefusesARace) {
  TestPackage p = emptyPackage();
  p.record(0, 0, yFromX, {}, {{0, 1}}, "first");
  p.record(1, 0, yFromX, {{0, 1}}, {}, "second");
  EXPECT_EQ(mkrt_program_check(mkrt::Program::load(p.encode()).get()), nullptr);

  TestPackage racy = emptyPackage();
  racy.record(0, 0, yFromX, {}, {}, "first");
  racy.record(1, 0, yFromX, {}, {}, "second");
  mkrt::Program program = mkrt::Program::load(racy.encode());
  mkrt_status status = mkrt_program_check(program.get());
  EXPECT_EQ(mkrt_status_code(status), MKRT_CHECK_FAILED);
  EXPECT_THAT(messageOf(status),
              AllOf(HasSubstr("(race)"), HasSubstr("'first'"),
                    HasSubstr("'second'"), HasSubstr("output 'y'")));
  EXPECT_THROW(program.verify(), mkrt::Exception);
}

TEST(Api, ParametersReachTheRecords) {
  TestPackage p = emptyPackage();
  p.parts.program.parameterCount = 1;
  p.record(0, 0, yFromX).parameter =
      ParameterSlot(ParameterSlot::Kind::Predicate, 0).bits();
  mkrt::Program program = mkrt::Program::load(p.encode());
  EXPECT_EQ(mkrt_program_parameter_count(program.get()), 1u);
  mkrt::Context context(program);
  context.run();
  EXPECT_EQ(context.output<int32_t>(0)[7], 0); // Skipped: parameters are 0.
  context.setParameter(0, 1);
  context.run();
  EXPECT_EQ(context.output<int32_t>(0)[7], 1);
  mkrt_status status = mkrt_context_set_parameter(context.get(), 1, 1);
  EXPECT_EQ(mkrt_status_code(status), MKRT_INVALID_ARGUMENT);
  EXPECT_EQ(messageOf(status), "parameter 1 does not exist: the program has 1");
}

TEST(Api, TheWatchdogEndsAStalledRun) {
  TestPackage p = emptyPackage();
  p.record(0, 0, yFromX, {}, {{0, 1}});
  p.record(1, 0, yFromX, {{0, 2}}, {}, "late"); // Nobody sends the second.
  mkrt::Context context(mkrt::Program::load(p.encode()));
  for (uint32_t threads : {1, 2, 2}) { // The context can run again.
    mkrt_run_options options{sizeof options, threads, 50};
    mkrt_status status = mkrt_context_run(context.get(), &options);
    EXPECT_EQ(mkrt_status_code(status), MKRT_STALLED);
    EXPECT_THAT(messageOf(status),
                AllOf(HasSubstr("stalled"), HasSubstr("node 'late'")));
  }
}

TEST(Api, BorrowedBytesAreUsedInPlace) {
  std::vector<std::byte> bytes = incrementPackage();
  void *aligned = std::aligned_alloc(64, (bytes.size() + 63) / 64 * 64);
  std::memcpy(aligned, bytes.data(), bytes.size());
  mkrt_program program;
  ASSERT_EQ(
      mkrt_program_load_memory(aligned, bytes.size(), MKRT_BORROW, &program),
      nullptr);
  mkrt_program_release(program);
  EXPECT_THAT(messageOf(mkrt_program_load_memory(
                  static_cast<std::byte *>(aligned) + 16, bytes.size() - 16,
                  MKRT_BORROW, &program)),
              HasSubstr("must be aligned to 64"));
  std::free(aligned);
}

TEST(Api, NullHandlesAreAnswered) {
  auto invalid = [](mkrt_status status) {
    mkrt_code code = mkrt_status_code(status);
    EXPECT_THAT(messageOf(status), HasSubstr("must not be NULL"));
    return code == MKRT_INVALID_ARGUMENT;
  };
  mkrt_program program;
  mkrt_context context;
  mkrt_tensor_info info;
  EXPECT_TRUE(invalid(mkrt_program_load_file(nullptr, &program)));
  EXPECT_TRUE(invalid(mkrt_program_load_file("p.mkp", nullptr)));
  EXPECT_TRUE(
      invalid(mkrt_program_load_memory(nullptr, 1, MKRT_COPY, &program)));
  EXPECT_EQ(mkrt_program_input_count(nullptr), 0u);
  EXPECT_EQ(mkrt_program_output_count(nullptr), 0u);
  EXPECT_EQ(mkrt_program_parameter_count(nullptr), 0u);
  EXPECT_TRUE(invalid(mkrt_program_input_info(nullptr, 0, &info)));
  EXPECT_TRUE(invalid(mkrt_program_output_info(nullptr, 0, &info)));
  EXPECT_TRUE(invalid(mkrt_program_check(nullptr)));
  EXPECT_TRUE(invalid(mkrt_context_create(nullptr, &context)));
  EXPECT_TRUE(invalid(mkrt_context_bind_input(nullptr, 0, nullptr)));
  EXPECT_TRUE(invalid(mkrt_context_bind_output(nullptr, 0, nullptr)));
  EXPECT_EQ(mkrt_context_input_buffer(nullptr, 0), nullptr);
  EXPECT_EQ(mkrt_context_output_buffer(nullptr, 0), nullptr);
  EXPECT_TRUE(invalid(mkrt_context_set_parameter(nullptr, 0, 1)));
  mkrt_context_reset_state(nullptr);
  EXPECT_TRUE(invalid(mkrt_context_run(nullptr, nullptr)));
}

TEST(Api, OutputsThatShareMemoryAreRefused) {
  TestPackage p(1);
  p.parts.hostObject = testKernels();
  p.input("x", types::Int32, {8});
  p.output("y", types::Int32, {8});
  p.output("z", types::Int32, {8});
  mkrt::Context context(mkrt::Program::load(p.encode()));
  int32_t memory[8];
  context.bindOutput(0, memory);
  context.bindOutput(1, memory);
  mkrt_status status = mkrt_context_run(context.get(), nullptr);
  EXPECT_EQ(mkrt_status_code(status), MKRT_INVALID_ARGUMENT);
  EXPECT_THAT(messageOf(status), HasSubstr("overlaps"));
}
