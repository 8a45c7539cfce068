//===- Tensor.cpp - A dense tensor in memory ------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace mkrt;
using namespace mkrt::io;

static constexpr size_t kAlignment = 64;

void Tensor::Free::operator()(std::byte *p) const { std::free(p); }

std::string Tensor::allocate(DataType type, std::vector<int64_t> shape,
                             Tensor &out) {
  std::optional<uint64_t> bytes = format::tensorBytes(type, shape);
  if (!format::elementBits(type))
    return "tensors of type " + std::string(format::typeName(type)) +
           " (number " + std::to_string(type) + ") are not supported";
  if (!bytes || *bytes > SIZE_MAX / 2)
    return "the shape " + shapeText(shape) + " is negative or too large";
  size_t rounded =
      std::max<size_t>((*bytes + kAlignment - 1) / kAlignment, 1) * kAlignment;
  Tensor tensor;
  tensor.data_.reset(
      static_cast<std::byte *>(std::aligned_alloc(kAlignment, rounded)));
  if (!tensor.data_)
    return "cannot allocate " + std::to_string(*bytes) + " bytes for a tensor";
  std::memset(tensor.data_.get(), 0, rounded);
  tensor.type_ = type;
  tensor.count_ = *format::elementCount(shape);
  tensor.shape_ = std::move(shape);
  tensor.size_ = *bytes;
  out = std::move(tensor);
  return {};
}

std::string Tensor::reinterpretAs(DataType type) {
  if (format::elementBits(type) != format::elementBits(type_))
    return "elements of type " + std::string(format::typeName(type_)) +
           " cannot be taken as " + std::string(format::typeName(type));
  type_ = type;
  return {};
}

std::string mkrt::io::shapeText(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string mkrt::io::typeText(const Tensor &tensor) {
  return std::string(format::typeName(tensor.type())) + " " +
         shapeText(tensor.shape());
}
