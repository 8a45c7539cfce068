//===- Boxes.cpp - Strided boxes of bytes ---------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Boxes.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace mkrt;
using namespace mkrt::verify;

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

namespace {
struct Dim {
  int64_t size, stride;
};
} // namespace

/// The canonical box of dims with positive strides and sizes of 2 or more.
static Box fromDims(int64_t offset, int64_t innerBytes, Dim *dims,
                    unsigned rank) {
  std::sort(dims, dims + rank, [](Dim a, Dim b) {
    return a.stride != b.stride ? a.stride > b.stride : a.size > b.size;
  });
  // An innermost dim whose steps leave no gap is part of the run of bytes.
  while (rank && dims[rank - 1].stride <= innerBytes) {
    innerBytes += dims[rank - 1].stride * (dims[rank - 1].size - 1);
    --rank;
  }
  // A dim that starts again where its inner one ends continues it.
  for (unsigned k = rank; k-- > 1;)
    if (dims[k - 1].stride == dims[k].stride * dims[k].size) {
      dims[k - 1] = {dims[k - 1].size * dims[k].size, dims[k].stride};
      std::copy(dims + k + 1, dims + rank, dims + k);
      --rank;
    }
  Box box;
  box.offset = offset;
  box.innerBytes = box.extent = innerBytes;
  box.rank = rank;
  for (unsigned k = rank; k-- > 0;) {
    box.size[k] = dims[k].size;
    box.stride[k] = dims[k].stride;
    box.inner[k] = box.extent;
    box.extent += dims[k].stride * (dims[k].size - 1);
  }
  return box;
}

std::optional<Box> mkrt::verify::canonicalize(const format::ByteBox &box) {
  if (box.empty())
    return std::nullopt;
  Dim dims[format::kMaxBoxRank];
  unsigned rank = 0;
  int64_t offset = box.offset;
  for (unsigned k = 0; k < box.rank; ++k) {
    int64_t size = box.size[k], stride = box.stride[k];
    if (size == 1 || stride == 0) // The same bytes again.
      continue;
    if (stride < 0) {
      offset += stride * (size - 1);
      stride = -stride;
    }
    dims[rank++] = {size, stride};
  }
  return fromDims(offset, box.innerBytes, dims, rank);
}

Box mkrt::verify::repeat(const Box &box, int64_t count, int64_t delta) {
  if (count == 1 || delta == 0)
    return box;
  assert(box.rank < kMaxRank);
  Dim dims[kMaxRank];
  for (unsigned k = 0; k < box.rank; ++k)
    dims[k] = {box.size[k], box.stride[k]};
  int64_t offset = delta < 0 ? box.offset + delta * (count - 1) : box.offset;
  dims[box.rank] = {count, delta < 0 ? -delta : delta};
  return fromDims(offset, box.innerBytes, dims, box.rank + 1);
}

bool Box::sameShape(const Box &other) const {
  return innerBytes == other.innerBytes && rank == other.rank &&
         std::equal(size, size + rank, other.size) &&
         std::equal(stride, stride + rank, other.stride);
}

//===----------------------------------------------------------------------===//
// Common bytes
//===----------------------------------------------------------------------===//

namespace {
/// What is left of a box after the indices of its first dims are fixed.
struct Part {
  const Box *box;
  unsigned dim;
  int64_t at;

  bool isRun() const { return dim == box->rank; }
  int64_t extent() const {
    return isRun() ? box->innerBytes
                   : box->inner[dim] + box->stride[dim] * (box->size[dim] - 1);
  }
  Part child(int64_t index) const {
    return {box, dim + 1, at + index * box->stride[dim]};
  }
};
} // namespace

/// True if the parts can meet when all their strides are rounded down to the
/// greatest common divisor of them: a necessary condition, which tells apart
/// such as the even and the odd columns of a matrix, however many there are.
static bool residuesMeet(const Part &a, const Part &b) {
  int64_t divisor = 0;
  for (const Part *part : {&a, &b})
    for (unsigned k = part->dim; k < part->box->rank; ++k)
      divisor = std::gcd(divisor, part->box->stride[k]);
  // Both are runs of bytes on a circle of `divisor` bytes.
  int64_t distance = (b.at - a.at) % divisor;
  if (distance < 0)
    distance += divisor;
  return distance < a.box->innerBytes || divisor - distance < b.box->innerBytes;
}

/// From so many indices on, looking at the residues first is cheap.
static constexpr int64_t kManyIndices = 8;

/// Splits the part with the greater extent into its outermost dim's indices and
/// descends into those whose hull meets the other part's hull.
static std::optional<int64_t> descend(Part a, Part b, Effort &effort) {
  int64_t endA = a.at + a.extent(), endB = b.at + b.extent();
  if (a.at >= endB || b.at >= endA)
    return std::nullopt;
  if (a.isRun() && b.isRun())
    return std::max(a.at, b.at);
  if (a.isRun() || (!b.isRun() && b.extent() > a.extent())) {
    std::swap(a, b);
    std::swap(endA, endB);
  }
  int64_t stride = a.box->stride[a.dim], inner = a.box->inner[a.dim];
  // Index i covers [a.at + i * stride, + inner): those that reach beyond b.at.
  int64_t before = b.at - a.at - inner;
  int64_t first = before < 0 ? 0 : before / stride + 1;
  int64_t last = std::min(a.box->size[a.dim] - 1, (endB - 1 - a.at) / stride);
  if (last - first >= kManyIndices && !residuesMeet(a, b))
    return std::nullopt;
  for (int64_t i = first; i <= last && !effort.exhausted(); ++i) {
    effort.spend();
    if (auto byte = descend(a.child(i), b, effort))
      return byte;
  }
  return std::nullopt;
}

/// Writes the box's offset in the mixed radix of its strides: digits[k] counts
/// steps of stride k, the last one bytes. False if the box runs over a digit's
/// range, so that equal bytes could have different digits.
static bool toDigits(const Box &box, int64_t offset, int64_t *digits) {
  if (offset < 0)
    return false;
  for (unsigned k = 0; k < box.rank; ++k) {
    digits[k] = offset / box.stride[k];
    offset %= box.stride[k];
  }
  digits[box.rank] = offset;
  if (offset + box.innerBytes > box.stride[box.rank - 1])
    return false;
  for (unsigned k = box.rank; k-- > 1;) {
    if (digits[k] + box.size[k] > box.stride[k - 1] / box.stride[k])
      return false;
  }
  return true;
}

/// Boxes of one frame, such as tiles of a matrix, meet where all digits meet.
/// Nullopt if this quick way does not apply.
static std::optional<std::optional<int64_t>>
byDigits(const Box &a, int64_t offsetA, const Box &b, int64_t offsetB) {
  if (a.rank == 0 || a.rank != b.rank ||
      !std::equal(a.stride, a.stride + a.rank, b.stride))
    return std::nullopt;
  int64_t digitsA[kMaxRank + 1], digitsB[kMaxRank + 1];
  if (!toDigits(a, offsetA, digitsA) || !toDigits(b, offsetB, digitsB))
    return std::nullopt;
  int64_t byte = 0;
  const std::optional<int64_t> apart;
  for (unsigned k = 0; k < a.rank; ++k) {
    int64_t low = std::max(digitsA[k], digitsB[k]);
    if (low >= digitsA[k] + a.size[k] || low >= digitsB[k] + b.size[k])
      return apart;
    byte += low * a.stride[k];
  }
  int64_t low = std::max(digitsA[a.rank], digitsB[a.rank]);
  if (low >= digitsA[a.rank] + a.innerBytes ||
      low >= digitsB[a.rank] + b.innerBytes)
    return apart;
  return std::optional(byte + low);
}

std::optional<int64_t> mkrt::verify::commonByte(const Box &a, int64_t moveA,
                                                const Box &b, int64_t moveB,
                                                Effort &effort) {
  effort.spend();
  int64_t offsetA = a.offset + moveA, offsetB = b.offset + moveB;
  if (offsetA >= offsetB + b.extent || offsetB >= offsetA + a.extent)
    return std::nullopt;
  if (auto answer = byDigits(a, offsetA, b, offsetB))
    return *answer;
  return descend({&a, 0, offsetA}, {&b, 0, offsetB}, effort);
}

//===----------------------------------------------------------------------===//
// BoxTable
//===----------------------------------------------------------------------===//

size_t BoxTable::Hash::operator()(const Box &box) const {
  uint64_t hash = 0;
  auto mix = [&](int64_t value) {
    hash = (hash ^ uint64_t(value)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  };
  mix(box.offset);
  mix(box.innerBytes);
  for (unsigned k = 0; k < box.rank; ++k) {
    mix(box.size[k]);
    mix(box.stride[k]);
  }
  return hash;
}

uint32_t BoxTable::intern(const Box &box) {
  if (auto it = ids_.find(box); it != ids_.end())
    return *it;
  boxes_.push_back(box);
  return *ids_.insert(uint32_t(boxes_.size() - 1)).first;
}
