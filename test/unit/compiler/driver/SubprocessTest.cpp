//===- SubprocessTest.cpp - A child process that answers lines ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Subprocess.h"

#include <gtest/gtest.h>

using mkc::driver::Subprocess;

TEST(Subprocess, AnswersLines) {
  Subprocess cat;
  ASSERT_EQ(cat.start({"cat"}), "");
  std::string big(100000, 'x'), line;
  for (const std::string &text : {std::string("one"), big, std::string()}) {
    ASSERT_EQ(cat.writeLine(text), "");
    ASSERT_EQ(cat.readLine(line), "");
    EXPECT_EQ(line, text);
  }
}

TEST(Subprocess, ReportsWhatCannotStart) {
  Subprocess process;
  EXPECT_EQ(process.start({"no-such-program-of-mkc"}),
            "cannot start no-such-program-of-mkc: No such file or directory");
}

TEST(Subprocess, ReportsAChildThatIsGone) {
  Subprocess process;
  ASSERT_EQ(process.start({"true"}), "");
  std::string line;
  EXPECT_EQ(process.readLine(line),
            "the child process has ended without an answer");
}
