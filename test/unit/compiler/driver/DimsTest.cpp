//===- DimsTest.cpp - Sizes of a model's inputs ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Dims.h"

#include <gmock/gmock.h>

using namespace mkc::driver;
using testing::ElementsAre;
using testing::Optional;

using Names = std::vector<Dims::Declared>;

static Dims decoder() {
  return Dims({{"ids", Names{"batch", "sequence"}},
               {"mask", Names{"batch", "past + sequence"}},
               {"key", Names{"batch", int64_t(4), "past", int64_t(16)}}});
}

static std::string request(Dims &dims, const char *text) {
  DimRequest request;
  std::string error = parseDimRequest(text, request);
  return error.empty() ? dims.request(request) : error;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static std::optional<DimRange> valueOf(llvm::StringRef name) {
  if (name == "past")
    return DimRange{3, 3};
  if (name == "s0")
    return DimRange{0, 10};
  return std::nullopt;
}

static std::optional<DimRange> evaluate(const char *text) {
  auto expression = DimExpression::parse(text);
  EXPECT_TRUE(expression) << text;
  return expression ? expression->evaluate(valueOf) : std::nullopt;
}

TEST(DimExpression, Evaluates) {
  EXPECT_EQ(evaluate("past + 1"), (DimRange{4, 4}));
  EXPECT_EQ(evaluate("2*past-1"), (DimRange{5, 5}));
  EXPECT_EQ(evaluate("(past + 1) // 2 + 10 - 4"), (DimRange{8, 8}));
  EXPECT_EQ(evaluate("past/2"), (DimRange{1, 1}));
}

TEST(DimExpression, EvaluatesRanges) {
  EXPECT_EQ(evaluate("s0 + past"), (DimRange{3, 13}));
  EXPECT_EQ(evaluate("past - s0"), (DimRange{-7, 3}));
  EXPECT_EQ(evaluate("s0 * s0"), (DimRange{0, 100}));
}

TEST(DimExpression, GivesNothingWhereThereIsNoValue) {
  EXPECT_EQ(evaluate("other + 1"), std::nullopt);
  EXPECT_EQ(evaluate("past // 0"), std::nullopt);
  EXPECT_EQ(evaluate("past // s0"), std::nullopt);
  EXPECT_EQ(evaluate("past * 9223372036854775807"), std::nullopt);
}

TEST(DimExpression, RefusesWhatIsNone) {
  for (const char *text : {"", "past", "17", "past +", "+ past", "past 1",
                           "(past + 1", "past + 1)", "a-b?", "2x + 1",
                           "unk__12:0", "past + 99999999999999999999"})
    EXPECT_FALSE(DimExpression::parse(text)) << text;
  EXPECT_FALSE(DimExpression::parse(std::string(100000, '(') + "a"));
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

TEST(Dims, ParsesRequests) {
  DimRequest request;
  EXPECT_EQ(parseDimRequest("past + 1=5", request), "");
  EXPECT_EQ(request.name, "past + 1");
  EXPECT_EQ(request.range, (DimRange{5, 5}));
  EXPECT_EQ(parseDimRequest("past=0..4096", request), "");
  EXPECT_EQ(request.range, (DimRange{0, 4096}));
  for (const char *text : {"", "batch", "=1", "batch=", "batch=-1", "batch=x",
                           "batch=1..", "batch=..2", "batch=1.5"})
    EXPECT_NE(parseDimRequest(text, request), "") << text;
  EXPECT_EQ(parseDimRequest("b=5..4", request), "--dim b=5..4: 5 is above 4");
}

TEST(Dims, BindsNamesAndDerivesExpressions) {
  Dims dims = decoder();
  EXPECT_THAT(dims.unbound(),
              ElementsAre("batch", "sequence", "past + sequence", "past"));
  EXPECT_EQ(request(dims, "batch=2"), "");
  EXPECT_EQ(request(dims, "past=3"), "");
  EXPECT_EQ(dims.check(), "");
  EXPECT_THAT(dims.unbound(), ElementsAre("sequence", "past + sequence"));
  EXPECT_EQ(request(dims, "sequence=1"), "");
  EXPECT_EQ(dims.check(), "");
  EXPECT_THAT(dims.unbound(), ElementsAre());
  EXPECT_THAT(dims.shape("mask"), Optional(ElementsAre(2, 4)));
  EXPECT_THAT(dims.shape("key"), Optional(ElementsAre(2, 4, 3, 16)));
}

// Tests that an expression is a name of its own while its names are open.
TEST(Dims, BindsExpressionsByName) {
  Dims dims({{"mask", Names{"past + 1"}}});
  EXPECT_EQ(request(dims, "past + 1=7"), "");
  EXPECT_EQ(dims.check(), "");
  EXPECT_THAT(dims.shape("mask"), Optional(ElementsAre(7)));
}

// Tests that a name which only occurs in an expression can be bound.
TEST(Dims, BindsNamesInsideExpressions) {
  Dims dims({{"mask", Names{"past + 1"}}});
  EXPECT_EQ(request(dims, "past=6"), "");
  EXPECT_EQ(dims.check(), "");
  EXPECT_THAT(dims.shape("mask"), Optional(ElementsAre(7)));
}

TEST(Dims, BindsAnonymousDims) {
  Dims dims({{"x", Names{"", int64_t(3), ""}}, {"a:b", Names{""}}});
  EXPECT_THAT(dims.unbound(), ElementsAre("x:0", "x:2", "a:b:0"));
  EXPECT_EQ(request(dims, "x:0=5"), "");
  EXPECT_EQ(request(dims, "x:2=6"), "");
  EXPECT_EQ(request(dims, "a:b:0=7"), "");
  EXPECT_THAT(dims.shape("x"), Optional(ElementsAre(5, 3, 6)));
  EXPECT_THAT(dims.shape("a:b"), Optional(ElementsAre(7)));
}

TEST(Dims, RefusesUnknownNames) {
  Dims dims = decoder();
  std::string all = "the model has no such dim; it has 'batch', 'past + "
                    "sequence', 'past', 'sequence'";
  EXPECT_EQ(request(dims, "bitch=1"), "--dim bitch: " + all);
  EXPECT_EQ(request(dims, "key:1=4"), "--dim key:1: " + all);
  EXPECT_EQ(request(dims, "key:9=4"), "--dim key:9: " + all);
  EXPECT_EQ(request(dims, "batch=1"), "");
  EXPECT_EQ(request(dims, "batch=1"), "");
  EXPECT_EQ(request(dims, "batch=2"),
            "--dim batch is given twice, with different values");
}

//===----------------------------------------------------------------------===//
// Inputs of a run
//===----------------------------------------------------------------------===//

TEST(Dims, BindsFromInputs) {
  Dims dims = decoder();
  EXPECT_EQ(dims.observe("ids", {2, 5}), "");
  EXPECT_EQ(dims.observe("key", {2, 4, 0, 16}), "");
  EXPECT_EQ(dims.check(), "");
  EXPECT_THAT(dims.shape("mask"), Optional(ElementsAre(2, 5)));
}

TEST(Dims, RefusesInputsThatDisagree) {
  Dims dims = decoder();
  EXPECT_EQ(request(dims, "sequence=1..4"), "");
  EXPECT_EQ(dims.observe("ids", {2, 4}), "");
  EXPECT_EQ(dims.observe("mask", {3, 4}),
            "dim 'batch' is 2 in input 'ids', but 3 in input 'mask'");
  EXPECT_EQ(dims.observe("key", {2, 5, 0, 16}),
            "input 'key' has size 5 in dim 1, but the model declares 4");
  EXPECT_EQ(dims.observe("key", {2, 4, 0}),
            "input 'key' has rank 3, but the model declares rank 4");
  EXPECT_EQ(dims.observe("ids", {2, 9}),
            "dim 'sequence' is 9 in input 'ids', but --dim says 1..4");
  EXPECT_EQ(dims.observe("other", {}), "the model has no input 'other'");
}

TEST(Dims, RefusesExpressionsThatDisagree) {
  Dims dims = decoder();
  EXPECT_EQ(dims.observe("ids", {2, 1}), "");
  EXPECT_EQ(dims.observe("mask", {2, 9}), "");
  EXPECT_EQ(dims.observe("key", {2, 4, 3, 16}), "");
  EXPECT_EQ(dims.check(), "dim 'past + sequence' is 9 in input 'mask', but 4 "
                          "with past = 3, sequence = 1");
}

// Tests that a dim with several values is not bound, and that a run decides.
TEST(Dims, NarrowsRanges) {
  Dims dims({{"x", Names{"n", "n + 1"}}});
  EXPECT_EQ(request(dims, "n=0..8"), "");
  EXPECT_EQ(dims.check(), "");
  EXPECT_FALSE(dims.shape("x"));
  EXPECT_THAT(dims.unbound(), ElementsAre());
  EXPECT_THAT(dims.ranges(), ElementsAre("n=0..8"));
  Dims run = dims;
  EXPECT_EQ(run.observe("x", {8, 9}), "");
  EXPECT_EQ(run.check(), "");
  EXPECT_THAT(run.ranges(), ElementsAre());
  EXPECT_THAT(run.shape("x"), Optional(ElementsAre(8, 9)));
}

// Tests that each request which leaves more than one size is named once, also
// behind an expression, and that a size below zero is none.
TEST(Dims, NamesRanges) {
  Dims dims({{"x", Names{"a", "n + m"}}, {"y", Names{"a", "k - 1"}}});
  for (const char *text : {"a=1..2", "n=3..4", "m=5", "k=0"})
    EXPECT_EQ(request(dims, text), "");
  EXPECT_THAT(dims.ranges(), ElementsAre("a=1..2", "n=3..4"));
  EXPECT_THAT(dims.unbound(), ElementsAre("k - 1"));
}

// Tests that an input of unknown rank takes the shape that it is given.
TEST(Dims, TakesAnyShapeWhereNoneIsDeclared) {
  Dims dims({{"x", std::nullopt}});
  EXPECT_THAT(dims.unbound(), ElementsAre("x"));
  EXPECT_EQ(dims.observe("x", {2, 3}), "");
  EXPECT_THAT(dims.shape("x"), Optional(ElementsAre(2, 3)));
}
