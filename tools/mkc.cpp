//===- mkc.cpp - The compiler's command line ------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Commands.h"
#include "compiler/driver/Interrupt.h"

int main(int argc, char **argv) {
  mkc::driver::handleInterrupts();
  return mkc::driver::runCommandLine(argc, argv);
}
