//===- TensorProto.h - ONNX tensors in protobuf ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/ProtoWire.h"
#include "runtime/io/Tensor.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mkrt::io {

/// A TensorProto's fields as views into its bytes. The numbers are not copied:
/// an importer can refer to `raw` where it lies in the file.
struct TensorProtoView {
  std::string_view name;
  DataType type = 0;
  std::vector<int64_t> shape;
  bool hasRaw = false;
  ProtoField raw; ///< raw_data.
  /// float_data, int32_data, int64_data, double_data, uint64_data: a piece per
  /// occurrence, packed or single.
  std::vector<ProtoField> typed;
  std::vector<std::string_view> strings; ///< string_data.
  bool isExternal = false;
  /// Key and value of each external_data entry.
  std::vector<std::pair<std::string_view, std::string_view>> external;
};

/// Splits a TensorProto. Returns an error text, or an empty string.
std::string parseTensorProto(std::span<const std::byte> message,
                             uint64_t offset, TensorProtoView &out);

/// The numbers as a dense tensor. Strings, external data and a wrong amount of
/// numbers are refused. Returns an error text, or an empty string.
std::string tensorOf(const TensorProtoView &proto, Tensor &out);

/// Reads a .pb file that holds one TensorProto. Returns an error text that
/// names the file, or an empty string.
std::string readTensorProto(const std::string &path, Tensor &out,
                            std::string *name = nullptr);

} // namespace mkrt::io
