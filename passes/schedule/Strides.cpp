//===- Strides.cpp - Reshapes of strided tensors --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Strides.h"

using namespace llvm;

SmallVector<int64_t> mkc::denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
  return strides;
}

std::optional<SmallVector<int64_t>>
mkc::reshapeStrides(ArrayRef<int64_t> from, ArrayRef<int64_t> strides,
                    ArrayRef<int64_t> to) {
  if (is_contained(from, 0) || is_contained(to, 0))
    return denseStrides(to);
  // Dims of 1 say nothing. Both shapes are cut into the shortest groups of dims
  // with equal products; a group must be one run of evenly spaced elements.
  SmallVector<std::pair<int64_t, int64_t>> source; // size, stride
  for (auto [size, stride] : zip(from, strides))
    if (size != 1)
      source.push_back({size, stride});
  SmallVector<int64_t> result(to.size(), 1);
  size_t i = 0, j = 0;
  while (j < to.size()) {
    if (to[j] == 1) {
      ++j;
      continue;
    }
    size_t firstI = i, firstJ = j;
    int64_t have = source[i++].first, want = to[j++];
    while (have != want) {
      if (have < want)
        have *= source[i++].first;
      else
        want *= to[j++];
    }
    for (size_t k = firstI; k + 1 < i; ++k)
      if (source[k].second != source[k + 1].second * source[k + 1].first)
        return std::nullopt;
    int64_t stride = source[i - 1].second;
    for (size_t k = j; k-- > firstJ;) {
      result[k] = stride;
      stride *= to[k];
    }
  }
  return result;
}
