//===- Tensor.h - A dense tensor in memory --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/DataType.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mkrt::io {

using format::DataType;
namespace types = format::types;

/// A dense row-major tensor that owns its bytes, aligned to 64. Elements
/// smaller than a byte are packed, the first in the low bits. Move-only.
class Tensor {
public:
  Tensor() = default;
  /// A zeroed tensor. Returns an error text (no such type, a bad shape, no
  /// memory), or an empty string.
  static std::string allocate(DataType type, std::vector<int64_t> shape,
                              Tensor &out);

  DataType type() const { return type_; }
  std::span<const int64_t> shape() const { return shape_; }
  uint64_t elementCount() const { return count_; }
  std::span<std::byte> bytes() { return {data_.get(), size_}; }
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }

  /// Gives the same bits another type of the same size, such as uint16 to
  /// bfloat16. Returns an error text, or an empty string.
  std::string reinterpretAs(DataType type);

private:
  struct Free {
    void operator()(std::byte *p) const;
  };
  DataType type_ = 0;
  std::vector<int64_t> shape_;
  uint64_t count_ = 0;
  size_t size_ = 0;
  std::unique_ptr<std::byte[], Free> data_;
};

/// "[2, 3]"
std::string shapeText(std::span<const int64_t> shape);

/// "float32 [2, 3]"
std::string typeText(const Tensor &tensor);

} // namespace mkrt::io
