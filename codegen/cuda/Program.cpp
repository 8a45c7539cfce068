//===- Program.cpp - The module that joins a program's kernels ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/Program.h"

using namespace mkc;
using namespace mkc::cuda;

std::string cuda::commentText(std::string_view text) {
  std::string line(text);
  for (char &c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      c = ' ';
  size_t end = line.find_last_not_of(" \\");
  line.resize(end == std::string::npos ? 0 : end + 1);
  return line;
}

static std::string entryName(const ProgramKernel &kernel, const char *entry) {
  return "k" + std::to_string(kernel.id) + "_" + entry;
}

static std::string prototype(const ProgramKernel &kernel, const char *entry) {
  return "MK_ENTRY " + entryName(kernel, entry) + "(u32 slot, u32 seq);\n";
}

/// A kernel without that entry point changes no page number.
static std::string switchText(std::span<const ProgramKernel> kernels,
                              const char *entry, bool ProgramKernel::*has) {
  std::string text = std::string("MK_DEV u32 mk_program_") + entry +
                     "(u32 kernel, u32 slot, u32 seq) {\n"
                     "  switch (kernel) {\n";
  for (const ProgramKernel &kernel : kernels)
    if (kernel.*has)
      text += "  case " + std::to_string(kernel.id) + ":\n    return " +
              entryName(kernel, entry) + "(slot, seq);\n";
  return text + "  default:\n    return seq;\n  }\n}\n";
}

std::string cuda::programText(std::span<const ProgramKernel> kernels) {
  std::string text = "#include \"mk.cuh\"\n\n";
  for (const ProgramKernel &kernel : kernels) {
    text += "// k" + std::to_string(kernel.id) + ": " +
            commentText(kernel.nodes) + "\n";
    if (kernel.hasLoad)
      text += prototype(kernel, "load");
    if (kernel.hasCompute)
      text += prototype(kernel, "compute");
  }
  return text + "\n" + switchText(kernels, "load", &ProgramKernel::hasLoad) +
         "\n" + switchText(kernels, "compute", &ProgramKernel::hasCompute) +
         "\n#include \"mk_persistent.cuh\"\n";
}

std::vector<std::string> cuda::compileOptions(const CudaChip &chip,
                                              const CompileSettings &settings) {
  const CudaArchitecture &architecture = *chip.architecture;
  std::vector<std::string> options = {
      "--gpu-architecture=" + std::string(architecture.name),
      "--std=c++20",
      "--device-c",
      // The ABI's headers are shared with the host and carry no annotations.
      "--device-as-default-execution-space",
      // Products and sums are fused where the text says so.
      "--fmad=false",
      // For profilers; costs nothing at run time.
      "--generate-line-info",
      // One fat task must not set the registers of all.
      "--maxrregcount=" + std::to_string(chip.registerBudget()),
      "--define-macro=MK_PAGES=" + std::to_string(chip.pages()),
      "--define-macro=MK_BULK=" + std::to_string(architecture.bulkCopies),
  };
  if (settings.trace)
    options.push_back("--define-macro=MK_TRACE");
  return options;
}
