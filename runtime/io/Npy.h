//===- Npy.h - Arrays as numpy saves them ---------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/Tensor.h"

namespace mkrt::io {

/// Reads the bytes of a .npy file: versions 1 to 3, C and Fortran order,
/// little- endian bools, integers, floats and complex numbers. Returns an error
/// text, or an empty string.
std::string readNpy(std::span<const std::byte> bytes, Tensor &out);

/// The bytes of a .npy file. Types that numpy lacks are written as unsigned
/// integers: bfloat16 and 8-bit floats by their bits, packed ones one per byte.
std::vector<std::byte> writeNpy(const Tensor &tensor);

/// Makes a tensor that was read from a .npy or .npz have `type`, where numpy
/// lacks that type: the reverse of what `writeNpy` does. Returns an error text
/// if the types differ otherwise, or an empty string.
std::string restoreType(Tensor &tensor, DataType type);

} // namespace mkrt::io
