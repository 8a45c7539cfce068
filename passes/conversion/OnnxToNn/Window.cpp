//===- Window.cpp - The geometry of convolutions and pooling --------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/Window.h"

using namespace mlir;
using namespace mkc;

/// Sizes are bounded so that no index overflows.
static constexpr int64_t kLargest = int64_t(1) << 24;

static LogicalResult checkRange(NodeConversion &c, StringRef name,
                                ArrayRef<int64_t> values, int64_t least) {
  for (int64_t value : values)
    if (value < least || value > kLargest)
      return c.error() << name << " holds " << value
                       << ", but must be at least " << least << " and at most "
                       << kLargest;
  return success();
}

/// SAME_UPPER and SAME_LOWER: ceil(input / stride) outputs, the padding split
/// evenly, the odd one at the end or at the beginning.
static void padSame(Window &w, unsigned d, bool upper) {
  w.output[d] = llvm::divideCeil(w.input[d], w.strides[d]);
  int64_t covered =
      (w.output[d] - 1) * w.strides[d] + (w.kernel[d] - 1) * w.dilations[d] + 1;
  int64_t padding = std::max<int64_t>(covered - w.input[d], 0);
  w.padBegin[d] = upper ? padding / 2 : padding - padding / 2;
  w.padEnd[d] = padding - w.padBegin[d];
}

static LogicalResult computeOutput(NodeConversion &c, Window &w, unsigned d,
                                   bool ceilMode) {
  int64_t padded = w.input[d] + w.padBegin[d] + w.padEnd[d];
  int64_t extent = (w.kernel[d] - 1) * w.dilations[d] + 1;
  if (padded < extent)
    return c.error() << "the window covers " << extent << " along spatial dim "
                     << d << ", but the padded input has " << padded;
  int64_t steps = padded - extent;
  w.output[d] = (ceilMode ? llvm::divideCeil(steps, w.strides[d])
                          : steps / w.strides[d]) +
                1;
  if (ceilMode &&
      (w.output[d] - 1) * w.strides[d] >= w.input[d] + w.padBegin[d])
    --w.output[d];
  return success();
}

FailureOr<Window> Window::read(NodeConversion &c, ArrayRef<int64_t> input,
                               ArrayRef<int64_t> kernel, bool ceilMode) {
  Window w;
  size_t rank = kernel.size();
  w.input.assign(input.begin(), input.end());
  w.kernel.assign(kernel.begin(), kernel.end());
  w.strides = c.intsAttr("strides", rank, 1);
  w.dilations = c.intsAttr("dilations", rank, 1);
  SmallVector<int64_t> pads = c.intsAttr("pads", 2 * rank, 0);
  std::string autoPad = c.stringAttr("auto_pad", "NOTSET");
  if (failed(checkRange(c, "kernel_shape", kernel, 1)) ||
      failed(checkRange(c, "strides", w.strides, 1)) ||
      failed(checkRange(c, "dilations", w.dilations, 1)) ||
      failed(checkRange(c, "pads", pads, 0)))
    return failure();
  w.output.assign(rank, 0);
  w.padBegin.assign(rank, 0);
  w.padEnd.assign(rank, 0);
  for (unsigned d = 0; d < rank; ++d) {
    if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
      padSame(w, d, autoPad == "SAME_UPPER");
      continue;
    }
    if (autoPad == "NOTSET" || autoPad.empty()) {
      w.padBegin[d] = pads[d];
      w.padEnd[d] = pads[rank + d];
    } else if (autoPad != "VALID") {
      return c.error() << "attribute auto_pad is '" << autoPad << "'";
    }
    if (failed(computeOutput(c, w, d, ceilMode)))
      return failure();
  }
  return w;
}

bool Window::isPointwise() const {
  auto all = [](ArrayRef<int64_t> values, int64_t wanted) {
    return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
  };
  return all(kernel, 1) && all(strides, 1) && all(padBegin, 0) &&
         all(padEnd, 0);
}

Value mkc::toChannelsLast(NodeConversion &c, Value x) {
  SmallVector<int64_t> perm = {0};
  for (unsigned d = 2; d < shapeOf(x).size(); ++d)
    perm.push_back(d);
  perm.push_back(1);
  return c.transpose(x, perm);
}

Value mkc::fromChannelsLast(NodeConversion &c, Value x) {
  int64_t rank = shapeOf(x).size();
  SmallVector<int64_t> perm = {0, rank - 1};
  for (int64_t d = 1; d + 1 < rank; ++d)
    perm.push_back(d);
  return c.transpose(x, perm);
}
