//===- mkc.cpp - The compiler's command line ------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Commands.h"
#include "compiler/driver/Interrupt.h"
#include "runtime/cli/ExitCode.h"
#include "runtime/cli/Tool.h"

#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  mkc::driver::handleInterrupts();
  return mkrt::cli::runTool("mkc", [&] {
    int code = mkc::driver::runCommandLine(argc, argv);
    // LLVM's stream has a buffer of its own, and ends the process with a text
    // of its own where an error is left in it.
    llvm::outs().flush();
    std::error_code error = llvm::outs().error();
    llvm::outs().clear_error();
    if (!error)
      return code;
    mkrt::cli::printError("mkc",
                          "cannot write the results: " + error.message());
    return code == mkrt::cli::Success ? int(mkrt::cli::RunFailed) : code;
  });
}
