//===- Report.cpp - Texts of refusals -------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Report.h"

#include "runtime/verify/Boxes.h"

using namespace mkrt;
using namespace mkrt::verify;
using namespace mkrt::format;

std::string mkrt::verify::recordText(const PackageView &view, uint32_t record) {
  uint32_t queue = view.queueOf(record);
  const DispatchInfo &dispatch =
      view.dispatches()[view.recordDispatch()[record]];
  return "record " + std::to_string(record) + " (queue " +
         std::to_string(queue) + ", position " +
         std::to_string(record - view.queueStarts()[queue]) + ", node '" +
         std::string(view.string(dispatch.name)) + "')";
}

std::string mkrt::verify::spaceText(const PackageView &view, SpaceId space) {
  switch (space.space) {
  case Space::Arena:
    return "the arena";
  case Space::Weights:
    return "the weights";
  case Space::State:
    return "the state";
  case Space::Input:
    return "input '" +
           std::string(view.string(view.inputs()[space.index].name)) + "'";
  case Space::Output:
    return "output '" +
           std::string(view.string(view.outputs()[space.index].name)) + "'";
  }
  return "an unknown space";
}

/// True if the box, moved by `base`, holds the byte.
static bool holds(const ByteBox &box, int64_t base, int64_t byte) {
  std::optional<Box> canonical = canonicalize(box);
  Box single;
  single.offset = byte;
  single.innerBytes = single.extent = 1;
  // For a text only: a byte that is hard to find is named without its tile.
  Effort effort(1 << 16);
  return canonical && commonByte(*canonical, base, single, 0, effort);
}

std::string mkrt::verify::touchText(const PackageView &view, uint32_t record,
                                    SpaceId space, int64_t byte, bool write) {
  const Record &r = view.records()[record];
  const KernelInfo &kernel = view.kernels()[r.kernel];
  for (uint32_t i = 0; i < r.tileCount; ++i) {
    uint64_t tile = r.tileStart + uint64_t(i) * r.tileStride;
    for (const AccessEntry &access :
         view.accesses().subspan(kernel.firstAccess, kernel.accessCount)) {
      OperandRef ref = view.operand(r, access.operand);
      bool writes = access.mode != AccessMode::Read;
      if (SpaceId{ref.space(), ref.index()} != space || writes != write)
        continue;
      std::optional<ByteBox> box =
          evaluateAccess(access, view.accessCode(), tile);
      if (box && holds(*box, int64_t(ref.offset()), byte))
        return "tile " + std::to_string(tile) + (write ? " writes" : " reads") +
               " it through operand " + std::to_string(access.operand);
    }
  }
  return write ? "it writes the byte" : "it reads the byte";
}
