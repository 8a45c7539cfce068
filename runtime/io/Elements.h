//===- Elements.h - Elements of any type as numbers -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/Tensor.h"

#include <cstdint>

namespace mkrt::io {

/// How the elements of a type compare and print.
enum class ElementClass : uint8_t { Float, Signed, Unsigned, Bool, Complex };
ElementClass elementClass(DataType type);

/// Element `i` as a double: exact for all but large 64-bit integers. Complex
/// tensors have two per element: real and imaginary part.
double numberAt(const Tensor &tensor, uint64_t i);
/// Element `i` of an integer or bool tensor, unsigned values by their bits.
int64_t integerAt(const Tensor &tensor, uint64_t i);
/// Stores a value, rounded to the type; integers wrap.
void setNumber(Tensor &tensor, uint64_t i, double value);
void setInteger(Tensor &tensor, uint64_t i, int64_t value);

/// How many numbers a tensor holds: twice its elements if they are complex.
uint64_t numberCount(const Tensor &tensor);

} // namespace mkrt::io
