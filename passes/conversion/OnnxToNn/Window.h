//===- Window.h - The geometry of convolutions and pooling ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/conversion/OnnxToNn/NodeConversion.h"

namespace mkc {

/// Sizes of a sliding window over the spatial dims, one entry per dim.
struct Window {
  llvm::SmallVector<int64_t> input, kernel, strides, dilations, padBegin,
      padEnd, output;

  /// Reads strides, dilations, pads and auto_pad, and computes the output. With
  /// `ceilMode` the last window may reach past the input and its padding, but
  /// must start inside of the two.
  static mlir::FailureOr<Window> read(NodeConversion &c,
                                      llvm::ArrayRef<int64_t> input,
                                      llvm::ArrayRef<int64_t> kernel,
                                      bool ceilMode);

  size_t rank() const { return kernel.size(); }
  /// The index in the input of window element `r` of output `o` along dim `d`.
  mlir::AffineExpr index(unsigned d, mlir::AffineExpr o,
                         mlir::AffineExpr r) const {
    return o * strides[d] + r * dilations[d] - padBegin[d];
  }
  /// True if each window is one element and windows are all elements.
  bool isPointwise() const;
};

/// x of shape (N, C, spatial...) as (N, spatial..., C), and back.
mlir::Value toChannelsLast(NodeConversion &c, mlir::Value x);
mlir::Value fromChannelsLast(NodeConversion &c, mlir::Value x);

} // namespace mkc
