//===- HostTest.cpp - Host programs, contexts and workers -----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Context.h"
#include "runtime/host/Cpu.h"
#include "runtime/host/PackageFile.h"
#include "test/unit/runtime/TestPackage.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>

using namespace mkrt::host;
using namespace mkrt::format;
using namespace mkrt::test;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

static constexpr int kElements = 16;

static OperandRef arena(uint64_t offset) { return {Space::Arena, 0, offset}; }
static OperandRef input(unsigned i = 0) {
  return {Space::Input, uint16_t(i), 0};
}
static OperandRef output(unsigned i = 0) {
  return {Space::Output, uint16_t(i), 0};
}

static TestPackage package(unsigned queues) {
  TestPackage p(queues);
  p.parts.hostObject = testKernels();
  p.parts.program.arenaBytes = 1 << 16;
  p.input("x", types::Int32, {kElements});
  p.output("y", types::Int32, {kElements});
  return p;
}

static std::shared_ptr<const Program> load(TestPackage &p) {
  std::shared_ptr<const Program> program;
  Error error = Program::load(p.encode(), Ownership::Copy, program);
  EXPECT_FALSE(error) << error.message;
  return program;
}

static std::unique_ptr<Context> context(TestPackage &p) {
  std::unique_ptr<Context> result;
  Error error = Context::create(load(p), result);
  EXPECT_FALSE(error) << error.message;
  return result;
}

static std::string loadError(TestPackage &p) {
  std::shared_ptr<const Program> program;
  return Program::load(p.encode(), Ownership::Copy, program).message;
}

static int32_t *ints(std::byte *bytes) {
  return reinterpret_cast<int32_t *>(bytes);
}

static RunOptions threads(unsigned n, std::chrono::milliseconds limit = 20s) {
  return {n, limit};
}

/// x -> increment -> increment ... -> y, each link on the next queue.
static TestPackage chain(unsigned queues, unsigned length) {
  TestPackage p = package(queues);
  uint32_t kernel = p.kernel("increment", kElements, 2);
  for (unsigned i = 0; i < length; ++i) {
    OperandRef from = i ? arena((i - 1) * 64) : input();
    OperandRef to = i + 1 < length ? arena(i * 64) : output();
    std::vector<Wait> waits;
    if (i)
      waits.push_back({i - 1, 1});
    std::vector<Signal> signals;
    if (i + 1 < length)
      signals.push_back({i, 1});
    p.record(i % queues, kernel, {to, from}, waits, signals);
  }
  return p;
}

TEST(Host, ChainGivesTheSameForAnyThreadCount) {
  TestPackage p = chain(40, 500);
  auto c = context(p);
  for (int i = 0; i < kElements; ++i)
    ints(c->inputBuffer(0))[i] = i;
  for (unsigned n : {1u, 2u, 3u, 8u, 1u, 2u})
    for (int run = 0; run < 5; ++run) {
      std::memset(c->outputBuffer(0), 0, 64);
      Error error = c->run(threads(n));
      ASSERT_FALSE(error) << error.message;
      for (int i = 0; i < kElements; ++i)
        ASSERT_EQ(ints(c->outputBuffer(0))[i], i + 500);
    }
}

/// A random graph of `combine` records over many queues, against a plain loop.
TEST(Host, RandomGraphs) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const unsigned queues = 1 + random() % 30, count = 200;
    TestPackage p = package(queues);
    p.parts.program.stateBytes = 64;
    uint32_t kernel = p.kernel("combine", kElements, 3, {}, {}, 64);
    std::vector<std::vector<int32_t>> expected;
    for (unsigned i = 0; i < count; ++i) {
      unsigned a = i ? random() % i : 0, b = i ? random() % i : 0;
      std::vector<Wait> waits;
      if (i)
        waits.push_back({a, 1});
      if (i && a != b)
        waits.push_back({b, 1});
      auto from = [&](unsigned r) { return i ? arena(r * 64) : input(); };
      OperandRef to = i + 1 < count ? arena(i * 64) : output();
      p.record(random() % queues, kernel, {to, from(a), from(b)}, waits,
               {{i, 1}});
      std::vector<int32_t> value(kElements);
      for (int e = 0; e < kElements; ++e) {
        uint32_t x = i ? expected[a][e] : e, y = i ? expected[b][e] : e;
        value[e] = int32_t(3 * x + y);
      }
      expected.push_back(value);
    }
    auto c = context(p);
    for (int e = 0; e < kElements; ++e)
      ints(c->inputBuffer(0))[e] = e;
    for (unsigned n : {1u, 2u, 4u}) {
      Error error = c->run(threads(n));
      ASSERT_FALSE(error) << error.message;
      EXPECT_EQ(std::memcmp(c->outputBuffer(0), expected.back().data(), 64), 0)
          << "seed " << seed << ", threads " << n;
    }
  }
}

TEST(Host, OperandTableAndUnalignedBuffers) {
  TestPackage p = package(1);
  p.input("z", types::Int32, {kElements});
  uint32_t kernel = p.kernel("sum7", kElements, 8);
  OperandRef x = input(0), z = input(1);
  p.record(0, kernel, {output(), x, z, x, z, x, z, x});
  auto c = context(p);
  alignas(64) int32_t xs[kElements + 1], zs[kElements], ys[kElements + 1];
  for (int i = 0; i < kElements; ++i)
    xs[i + 1] = i, zs[i] = 100 * i;
  ASSERT_FALSE(c->bindInput(0, xs + 1)); // Not aligned: copied.
  ASSERT_FALSE(c->bindInput(1, zs));
  ASSERT_FALSE(c->bindOutput(0, ys + 1));
  ASSERT_FALSE(c->run(threads(1)));
  for (int i = 0; i < kElements; ++i)
    EXPECT_EQ(ys[i + 1], (1 + 3 + 5 + 7) * i + (2 + 4 + 6) * 100 * i);
  EXPECT_EQ(c->bindInput(2, xs).message,
            "input 2 does not exist: the program has 2");
}

TEST(Host, TileRangesWithStrides) {
  TestPackage p = package(2);
  uint32_t kernel = p.kernel("increment", kElements, 2);
  for (unsigned half : {0u, 1u}) {
    Record &record = p.record(half, kernel, {output(), input()});
    record.tileStart = half;
    record.tileCount = half ? 8 : 5; // Of the even tiles, the last 3 stay.
    record.tileStride = 2;
  }
  auto c = context(p);
  ASSERT_FALSE(c->run(threads(2)));
  for (int i = 0; i < kElements; ++i)
    EXPECT_EQ(ints(c->outputBuffer(0))[i], i % 2 || i < 10);
}

TEST(Host, PredicatesAndExtentsSkipButSignal) {
  TestPackage p = package(3);
  p.parts.program.parameterCount = 2;
  uint32_t kernel = p.kernel("increment", kElements, 2);
  p.record(0, kernel, {arena(0), input()}, {}, {{0, 1}}).parameter =
      ParameterSlot(ParameterSlot::Kind::Predicate, 0).bits();
  p.record(1, kernel, {arena(64), arena(0)}, {{0, 1}}, {{1, 1}}).parameter =
      ParameterSlot(ParameterSlot::Kind::Extent, 1).bits();
  p.record(2, kernel, {output(), arena(64)}, {{1, 1}});
  auto c = context(p);
  auto results = [&](int64_t predicate, int64_t extent) {
    // The arena keeps what the run before has left: start afresh.
    c = context(p);
    EXPECT_FALSE(c->setParameter(0, predicate));
    EXPECT_FALSE(c->setParameter(1, extent));
    Error error = c->run(threads(2));
    EXPECT_FALSE(error) << error.message;
    int32_t *y = ints(c->outputBuffer(0));
    return std::vector<int32_t>(y, y + 4);
  };
  EXPECT_THAT(results(1, 100), testing::ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(results(0, 100), testing::ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(results(1, 2), testing::ElementsAre(3, 3, 1, 1));
  EXPECT_THAT(results(-1, -5), testing::ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(c->setParameter(2, 0).message,
            "parameter 2 does not exist: the program has 2");
}

TEST(Host, IndexFaultsEndTheRunAndTheNextRunWorks) {
  TestPackage p = package(2);
  uint32_t gather = p.kernel("gather10", kElements, 3);
  uint32_t increment = p.kernel("increment", kElements, 2);
  p.record(0, gather, {arena(0), arena(1024), input()}, {}, {{0, 1}},
           "/Gather");
  p.record(1, increment, {output(), arena(0)}, {{0, 1}});
  auto c = context(p);
  for (unsigned n : {1u, 2u}) {
    ints(c->inputBuffer(0))[5] = 12;
    Error error = c->run(threads(n));
    EXPECT_EQ(error.code, ErrorCode::IndexFault);
    EXPECT_EQ(error.message,
              "node '/Gather', tile 5: index 12 is out of bounds for size 10");
    ints(c->inputBuffer(0))[5] = 9;
    error = c->run(threads(n));
    EXPECT_FALSE(error) << error.message;
    error = c->run(threads(n));
    EXPECT_FALSE(error) << error.message;
  }
}

TEST(Host, WatchdogNamesTheStalledRecord) {
  TestPackage p = chain(4, 8);
  for (unsigned n : {1u, 2u, 4u}) {
    TestPackage stuck = p;
    PackageParts &parts = stuck.finish();
    // The fourth link asks for a signal that nobody sends.
    for (Record &record : parts.records)
      if (record.rank == 3)
        record.waits[0].target = 2;
    std::shared_ptr<const Program> program;
    ASSERT_FALSE(
        Program::load(encodePackage(parts, {}, 0), Ownership::Copy, program));
    std::unique_ptr<Context> c;
    ASSERT_FALSE(Context::create(program, c));
    for (int run = 0; run < 2; ++run) {
      Error error = c->run(threads(n, 100ms));
      EXPECT_EQ(error.code, ErrorCode::Stalled);
      EXPECT_THAT(error.message,
                  AllOf(HasSubstr("the run is stalled"),
                        HasSubstr("queue 3, position 0, rank 3, node 'node3'"),
                        HasSubstr("waits for counter 2, seen 1, wanted 2")));
    }
  }
}

TEST(Host, SlowKernelsAreProgress) {
  TestPackage p = package(2);
  uint32_t slow = p.kernel("slow", kElements, 2);
  p.record(0, slow, {arena(0), input()}, {}, {{0, 1}});
  uint32_t increment = p.kernel("increment", kElements, 2);
  p.record(1, increment, {output(), arena(0)}, {{0, 1}});
  auto c = context(p);
  // The record takes longer than the limit, each tile does not.
  Error error = c->run(threads(2, 240ms));
  EXPECT_FALSE(error) << error.message;
  EXPECT_EQ(ints(c->outputBuffer(0))[0], 2);
}

TEST(Host, MoreSignalsThanWaitedForAreAnError) {
  TestPackage p = package(2);
  uint32_t kernel = p.kernel("increment", kElements, 2);
  p.record(0, kernel, {arena(0), input()}, {}, {{0, 2}});
  p.record(1, kernel, {output(), arena(0)}, {{0, 1}}, {}, "late");
  auto c = context(p);
  for (unsigned n : {1u, 2u}) {
    Error error = c->run(threads(n));
    EXPECT_EQ(error.code, ErrorCode::Schedule);
    EXPECT_THAT(error.message,
                HasSubstr("node 'late': counter 0 has 2 signals, more than "
                          "the 1 waited for"));
  }
}

TEST(Host, RefusesWhatItCannotRun) {
  TestPackage good = chain(2, 4);
  EXPECT_EQ(loadError(good), "");

  TestPackage p = good;
  p.parts.hostObject.clear();
  EXPECT_THAT(loadError(p), HasSubstr("the package has no host object"));

  p = good;
  p.parts.hostObject.resize(100);
  EXPECT_THAT(loadError(p), HasSubstr("cannot load the host object"));

  p = good;
  p.kernel("missing", 1, 1);
  EXPECT_THAT(loadError(p),
              HasSubstr("the host object has no kernel 'missing'"));

  p = good;
  p.parts.manifest = R"({"host_features": ["warp-drive"]})";
  EXPECT_THAT(loadError(p), HasSubstr("lacks features that the package's host "
                                      "code uses: warp-drive"));
  p.parts.manifest = R"({"host_features": []})";
  EXPECT_EQ(loadError(p), "");
  p.parts.manifest = "[";
  EXPECT_THAT(loadError(p), HasSubstr("the manifest is not a JSON object"));

  p = good;
  p.record(0, 0, {output(), input()}).opcode = Opcode::Loop;
  EXPECT_THAT(loadError(p),
              HasSubstr("has opcode 2, which this runtime does not"));

  p = good;
  p.parts.program.arenaBytes = uint64_t(1) << 43;
  std::unique_ptr<Context> c;
  Error error = Context::create(load(p), c);
  EXPECT_THAT(error.message, HasSubstr("cannot allocate 8796093022208 bytes"));
}

TEST(Host, ContextsOfOneProgramRunAtTheSameTime) {
  TestPackage p = chain(8, 50);
  auto program = load(p);
  std::vector<std::thread> users;
  for (int u = 0; u < 3; ++u)
    users.emplace_back([&, u] {
      std::unique_ptr<Context> c;
      ASSERT_FALSE(Context::create(program, c));
      ints(c->inputBuffer(0))[3] = u;
      for (int run = 0; run < 20; ++run) {
        Error error = c->run(threads(2));
        ASSERT_FALSE(error) << error.message;
        ASSERT_EQ(ints(c->outputBuffer(0))[3], 50 + u);
      }
    });
  for (std::thread &user : users)
    user.join();
}

TEST(Host, SecondConcurrentRunIsRefused) {
  TestPackage p = package(1);
  uint32_t slow = p.kernel("slow", kElements, 2);
  p.record(0, slow, {output(), input()});
  auto c = context(p);
  std::thread other([&] { EXPECT_FALSE(c->run(threads(1))); });
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(c->run(threads(1)).code, ErrorCode::Busy);
  other.join();
}

//===----------------------------------------------------------------------===//
// Memory of ports
//===----------------------------------------------------------------------===//

/// y = x + 1, then z = x + 1: z is wrong if y lies over x.
static TestPackage twoOutputs() {
  TestPackage p = package(1);
  p.output("z", types::Int32, {kElements});
  uint32_t kernel = p.kernel("increment", kElements, 2);
  p.record(0, kernel, {output(0), input()});
  p.record(0, kernel, {output(1), input()});
  return p;
}

/// An input is read as it was, whichever buffers the user binds where.
TEST(Host, InputsThatShareMemoryWithOutputsAreReadAsTheyWere) {
  TestPackage p = twoOutputs();
  alignas(64) int32_t memory[4 * kElements];
  const int aligned[] = {0, 16, 32}, unaligned[] = {1, 15, 17, 33};
  auto check = [&](int x, int y, int z) {
    auto c = context(p);
    ASSERT_FALSE(c->bindInput(0, memory + x));
    ASSERT_FALSE(c->bindOutput(0, memory + y));
    ASSERT_FALSE(c->bindOutput(1, memory + z));
    for (int run = 0; run < 2; ++run) {
      for (int i = 0; i < 4 * kElements; ++i)
        memory[i] = 1000;
      for (int i = 0; i < kElements; ++i)
        memory[x + i] = 10 * i + run;
      Error error = c->run(threads(1));
      ASSERT_FALSE(error) << error.message;
      for (int i = 0; i < kElements; ++i) {
        ASSERT_EQ(memory[y + i], 10 * i + run + 1) << x << " " << y << " " << z;
        ASSERT_EQ(memory[z + i], 10 * i + run + 1) << x << " " << y << " " << z;
      }
    }
  };
  for (int x : aligned)
    for (int y : {0, 16})
      check(x, y, y + 16);
  for (int x : unaligned)
    check(x, 0, 32);
  check(0, 1, 33);
  check(16, 1, 33);
  // The context's own buffers may be bound, too.
  auto c = context(p);
  int32_t *own = ints(c->outputBuffer(0));
  for (int i = 0; i < kElements; ++i)
    own[i] = i;
  ASSERT_FALSE(c->bindInput(0, own));
  ASSERT_FALSE(c->run(threads(1)));
  EXPECT_EQ(own[5], 6);
  EXPECT_EQ(ints(c->outputBuffer(1))[5], 6);
}

TEST(Host, OutputsThatShareMemoryAreRefused) {
  TestPackage p = twoOutputs();
  auto c = context(p);
  alignas(64) int32_t memory[2 * kElements];
  ASSERT_FALSE(c->bindOutput(0, memory));
  for (int shift : {0, 1, kElements - 1}) {
    ASSERT_FALSE(c->bindOutput(1, memory + shift));
    Error error = c->run(threads(1));
    EXPECT_EQ(error.code, ErrorCode::InvalidArgument);
    EXPECT_THAT(error.message,
                AllOf(HasSubstr("the memory of output '"), HasSubstr("'y'"),
                      HasSubstr("'z'"), HasSubstr("overlaps")));
  }
  ASSERT_FALSE(c->bindOutput(1, memory + kElements));
  EXPECT_FALSE(c->run(threads(1)));
}

//===----------------------------------------------------------------------===//
// Exceptions
//===----------------------------------------------------------------------===//

static void throwLength(uint64_t) { throw std::length_error("too long"); }
static void throwNumber(uint64_t) { throw 7; }
static void throwMemory(uint64_t tile) {
  if (tile == 3)
    throw std::bad_alloc();
}
static void doNothing(uint64_t) {}

TEST(Host, ExceptionsEndARunAndLeaveTheContextFree) {
  TestPackage p = package(4);
  uint32_t kernel = p.kernel("call", kElements, 2);
  for (unsigned queue = 0; queue < 4; ++queue)
    p.record(queue, kernel, {arena(0), input()}, {}, {{0, 1}});
  uint32_t increment = p.kernel("increment", kElements, 2);
  p.record(0, increment, {output(), arena(0)}, {{0, 4}});
  auto c = context(p);
  auto runWith = [&](void (*function)(uint64_t), unsigned n) {
    std::memcpy(c->inputBuffer(0), &function, sizeof function);
    return c->run(threads(n));
  };
  for (unsigned n : {1u, 2u, 4u}) {
    Error error = runWith(throwLength, n);
    EXPECT_EQ(error.code, ErrorCode::OutOfMemory);
    EXPECT_THAT(error.message, HasSubstr("too long"));
    EXPECT_EQ(runWith(throwMemory, n).code, ErrorCode::OutOfMemory);
    EXPECT_EQ(runWith(throwNumber, n).code, ErrorCode::Internal);
    error = runWith(doNothing, n);
    EXPECT_FALSE(error) << error.message;
  }
}

TEST(WorkerPool, ThrowsWhatAWorkerThrewWhenAllHaveReturned) {
  WorkerPool pool;
  ASSERT_FALSE(pool.resize(4));
  for (unsigned thrower = 0; thrower < 4; ++thrower) {
    std::atomic<unsigned> called{0};
    EXPECT_THROW(pool.run([&](unsigned worker) {
      ++called;
      if (worker == thrower)
        throw std::runtime_error("worker");
    }),
                 std::runtime_error);
    EXPECT_EQ(called, 4u);
    pool.run([&](unsigned) { ++called; });
    EXPECT_EQ(called, 8u);
  }
}

//===----------------------------------------------------------------------===//
// Packages to look at
//===----------------------------------------------------------------------===//

TEST(PackageFile, OpensWithoutRunningAnything) {
  std::string path = testing::TempDir() + "/mkc-package-file.mkp";
  TestPackage p = chain(2, 4);
  ASSERT_EQ(writePackage(path, p.finish(), {}, 0), "");
  unsetenv("MKC_TEST_KERNELS_LOADED");
  PackageFile file;
  Error error = PackageFile::open(path, file);
  ASSERT_FALSE(error) << error.message;
  EXPECT_EQ(file.view().records().size(), 4u);
  EXPECT_EQ(getenv("MKC_TEST_KERNELS_LOADED"), nullptr);
  std::shared_ptr<const Program> program;
  ASSERT_FALSE(Program::load(path, program));
  EXPECT_NE(getenv("MKC_TEST_KERNELS_LOADED"), nullptr);

  // For another machine, or with a host object that is none.
  p = chain(2, 4);
  p.parts.manifest = R"({"host_features": ["warp-drive"]})";
  p.parts.hostObject.resize(100);
  ASSERT_EQ(writePackage(path, p.finish(), {}, 0), "");
  EXPECT_EQ(Program::load(path, program).code, ErrorCode::Unsupported);
  EXPECT_FALSE(PackageFile::open(path, file));
  EXPECT_FALSE(file.view().hostObject().empty());

  std::filesystem::resize_file(path, 1000);
  error = PackageFile::open(path, file);
  EXPECT_EQ(error.code, ErrorCode::BadPackage);
  EXPECT_THAT(error.message, testing::StartsWith(path + ": "));
  std::filesystem::remove(path);
  EXPECT_EQ(PackageFile::open(path, file).code, ErrorCode::InvalidArgument);
}

TEST(Program, TakesBytesOver) {
  TestPackage p = chain(2, 4);
  std::vector<std::byte> bytes = p.encode();
  Mapping memory;
  ASSERT_EQ(encodePackage(p.parts, {}, 0,
                          [&](uint64_t size) -> std::span<std::byte> {
                            EXPECT_FALSE(
                                Mapping::allocate(size, "a test", memory));
                            return {memory.data(), memory.size()};
                          }),
            "");
  EXPECT_TRUE(std::ranges::equal(bytes, memory.bytes()));
  const std::byte *at = memory.data();
  std::shared_ptr<const Program> program;
  ASSERT_FALSE(Program::load(std::move(memory), program));
  EXPECT_GE(
      reinterpret_cast<const std::byte *>(program->view().records().data()),
      at);
  EXPECT_LT(
      reinterpret_cast<const std::byte *>(program->view().records().data()),
      at + bytes.size());
  EXPECT_THAT(encodePackage(p.parts, {}, 0,
                            [](uint64_t) { return std::span<std::byte>(); }),
              HasSubstr("cannot allocate"));
}

TEST(Fold, MergesOnRank) {
  TestPackage p(5);
  uint32_t kernel = p.kernel("increment", 1, 0);
  for (unsigned q : {4u, 0u, 2u, 2u, 1u, 4u, 3u, 0u})
    p.record(q, kernel, {});
  p.parts.hostObject = testKernels();
  auto program = load(p);
  const PackageView &view = program->view();
  for (unsigned count : {1u, 2u, 5u}) {
    Fold fold = foldQueues(view, program->recordOfRank(), count);
    ASSERT_EQ(fold.queueCount(), count);
    EXPECT_EQ(fold.records.size(), 8u);
    for (unsigned v = 0; v < count; ++v)
      for (uint32_t i = fold.starts[v]; i < fold.starts[v + 1]; ++i) {
        EXPECT_EQ(view.queueOf(fold.records[i]) % count, v);
        if (i > fold.starts[v])
          EXPECT_LT(view.records()[fold.records[i - 1]].rank,
                    view.records()[fold.records[i]].rank);
      }
  }
}

TEST(Cpu, KnowsTheMachine) {
  EXPECT_GE(availableCpus(), 1u);
  EXPECT_FALSE(cpuFeatures().empty());
}
