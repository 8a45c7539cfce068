//===- CompileLog.h - NVRTC's log as diagnostics --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mkc::cuda {

/// An error or a warning at a line of an emitted module.
struct CudaDiagnostic {
  bool isError = true;
  std::string module;  ///< "k3.cu", or the header that the message is about.
  unsigned line = 0;   ///< From 1; 0 if the compiler gave none.
  std::string message; ///< One line.
  std::string text;    ///< The line of the module that led to it.
  std::string node;    ///< The ONNX node of that line, or empty.

  /// "k3.cu:12: error: ..., from node 'a' (Add)" and the line's text.
  std::string format() const;
};

/// The node that a module's line belongs to: what the last `// mk-node:`
/// comment at or before it says, else an empty string.
std::string nodeOfLine(std::string_view moduleText, unsigned line);

/// Reads the log of compiling a module. What is said about a header is shown
/// with the module's line that it was included or instantiated from, if the log
/// names that. A log of which nothing is understood is one message.
std::vector<CudaDiagnostic> parseCompileLog(std::string_view log,
                                            const std::string &moduleName,
                                            std::string_view moduleText);

} // namespace mkc::cuda
