//===- TileAccesses.cpp - Which tiles depend on which ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/TileAccesses.h"

#include <algorithm>

using namespace mkc::schedule;
using namespace mkrt::format;

std::string TileAccesses::evaluate(const TaskGraph &graph,
                                   const Dispatch &dispatch) {
  const Kernel &kernel = graph.kernels[dispatch.kernel];
  starts.assign(1, 0);
  for (uint32_t t = 0; t < kernel.tileCount; ++t) {
    for (const AccessEntry &entry : kernel.accesses) {
      const Operand &operand = dispatch.operands[entry.operand];
      if (graph.buffers[operand.buffer].space == Space::Weights &&
          entry.mode == AccessMode::Read)
        continue;
      std::optional<ByteBox> box = evaluateAccess(entry, kernel.code, t);
      std::optional<std::pair<int64_t, int64_t>> hull;
      if (box) {
        box->offset += int64_t(operand.offset);
        hull = box->hull();
      }
      if (!hull)
        return "the access of operand " + std::to_string(entry.operand) +
               " at tile " + std::to_string(t) + " cannot be evaluated";
      if (!box->empty())
        accesses.push_back({operand.buffer, entry.mode != AccessMode::Read,
                            *box, hull->first, hull->second});
    }
    starts.push_back(accesses.size());
  }
  return "";
}

std::vector<AccessHull> TileAccesses::hullsOf(uint32_t first,
                                              uint32_t end) const {
  std::vector<AccessHull> hulls;
  for (size_t i = starts[first]; i < starts[end]; ++i) {
    const TileAccess &access = accesses[i];
    auto hull = std::find_if(hulls.begin(), hulls.end(), [&](AccessHull &h) {
      return h.buffer == access.buffer && h.isWrite == access.isWrite;
    });
    if (hull == hulls.end()) {
      hulls.push_back(
          {access.buffer, access.isWrite, access.begin, access.end});
      continue;
    }
    hull->begin = std::min(hull->begin, access.begin);
    hull->end = std::max(hull->end, access.end);
  }
  return hulls;
}

/// Offsets of both boxes as digits in the common strides; true if some digit's
/// ranges are apart, so that no byte is shared. Sound for boxes that stay
/// inside the strides.
static bool areApart(const ByteBox &a, const ByteBox &b) {
  if (a.rank != b.rank || a.offset < 0 || b.offset < 0)
    return false;
  int64_t restA = a.offset, restB = b.offset, limit = INT64_MAX;
  bool apart = false;
  for (unsigned k = 0; k < a.rank; ++k) {
    int64_t stride = a.stride[k];
    if (stride <= 0 || b.stride[k] != stride || stride > limit)
      return false;
    int64_t digitA = restA / stride, digitB = restB / stride;
    restA %= stride;
    restB %= stride;
    // The box must not carry into the digit above.
    if (k > 0 && ((digitA + a.size[k]) * stride > limit ||
                  (digitB + b.size[k]) * stride > limit))
      return false;
    apart =
        apart || digitA + a.size[k] <= digitB || digitB + b.size[k] <= digitA;
    limit = stride;
  }
  if (restA + a.innerBytes > limit || restB + b.innerBytes > limit)
    return false;
  return apart || restA + a.innerBytes <= restB ||
         restB + b.innerBytes <= restA;
}

/// For accesses and hulls of them.
template <typename A>
static bool hullsConflict(const A &a, const TileAccess &b) {
  return a.buffer == b.buffer && (a.isWrite || b.isWrite) && b.begin < a.end &&
         a.begin < b.end;
}

bool mkc::schedule::mayConflict(const TileAccess &a, const TileAccess &b) {
  return hullsConflict(a, b) && !areApart(a.box, b.box);
}

bool mkc::schedule::mayConflict(const AccessHull &a, const TileAccess &b) {
  return hullsConflict(a, b);
}
