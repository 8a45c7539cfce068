//===- Cases.h - Folders of recorded cases --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder holds `model.onnx` and cases: `test_data_set_*/{input,output}_*.pb`,
// as ONNX's own tests have them, or `case*.npz` with inputs and outputs by
// name.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Programs.h"
#include "runtime/io/Compare.h"

namespace mkc::driver {

/// Tolerances of a case: the user's beat those of `tolerance.json`, which beat
/// the defaults of the element type.
class Tolerances {
public:
  std::optional<double> rtol, atol; ///< --rtol, --atol

  /// Reads `tolerance.json` if it is there. Returns an error text, or an empty
  /// string.
  std::string read(const std::string &path);
  mkrt::io::Tolerance of(const std::string &output,
                         mkrt::io::DataType type) const;

private:
  struct Entry {
    std::optional<double> rtol, atol;
  };
  Entry all;
  std::map<std::string, Entry> outputs;
};

/// Recorded tensors of one case. Those of .pb files have no reliable names:
/// they go by position.
struct CaseFiles {
  std::string name;                         ///< For reports.
  std::string npz;                          ///< Or:
  std::vector<std::string> inputs, outputs; ///< .pb files, in order.
};

/// Finds the cases of a folder in natural order. Returns an error text, or an
/// empty string.
std::string findCases(const std::string &folder, std::vector<CaseFiles> &out);

/// Reads a case's tensors for a model with these inputs and outputs.
std::string readCase(const CaseFiles &files,
                     const std::vector<std::string> &inputNames,
                     const std::vector<std::string> &outputNames,
                     TensorMap &inputs, TensorMap &outputs);

/// An error text with the names that `tensors` lacks, or an empty string.
/// `source` is where they should have come from, `kind` "input" or "output".
std::string missingTensors(const std::string &source, const char *kind,
                           const std::vector<std::string> &names,
                           const TensorMap &tensors);

} // namespace mkc::driver
