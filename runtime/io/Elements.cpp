//===- Elements.cpp - Elements of any type as numbers ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Elements.h"

#include "runtime/format/HalfFloat.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mkrt;
using namespace mkrt::io;

ElementClass mkrt::io::elementClass(DataType type) {
  switch (type) {
  case types::Bool:
    return ElementClass::Bool;
  case types::Int8:
  case types::Int16:
  case types::Int32:
  case types::Int64:
  case types::Int4:
  case types::Int2:
    return ElementClass::Signed;
  case types::UInt8:
  case types::UInt16:
  case types::UInt32:
  case types::UInt64:
  case types::UInt4:
  case types::UInt2:
    return ElementClass::Unsigned;
  case types::Complex64:
  case types::Complex128:
    return ElementClass::Complex;
  default:
    return ElementClass::Float;
  }
}

//===----------------------------------------------------------------------===//
// Small floats
//===----------------------------------------------------------------------===//

namespace {
/// An 8-bit or smaller float: `bias` as in its definition.
struct SmallFloat {
  int mantissaBits, exponentBits, bias;
};
} // namespace

static double decode(unsigned bits, SmallFloat f) {
  unsigned mantissa = bits & ((1u << f.mantissaBits) - 1);
  int exponent = int(bits >> f.mantissaBits & ((1u << f.exponentBits) - 1));
  bool negative = bits >> (f.mantissaBits + f.exponentBits) & 1;
  double magnitude =
      exponent ? std::ldexp(double(mantissa + (1u << f.mantissaBits)),
                            exponent - f.bias - f.mantissaBits)
               : std::ldexp(double(mantissa), 1 - f.bias - f.mantissaBits);
  return negative ? -magnitude : magnitude;
}

static double smallFloat(DataType type, unsigned bits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  switch (type) {
  case types::Float8E4M3FN:
    return (bits & 0x7f) == 0x7f ? nan : decode(bits, {3, 4, 7});
  case types::Float8E4M3FNUZ:
    return bits == 0x80 ? nan : decode(bits, {3, 4, 8});
  case types::Float8E5M2:
    if ((bits & 0x7c) == 0x7c)
      return bits & 3 ? nan : (bits & 0x80 ? -infinity : infinity);
    return decode(bits, {2, 5, 15});
  case types::Float8E5M2FNUZ:
    return bits == 0x80 ? nan : decode(bits, {2, 5, 16});
  case types::Float4E2M1:
    return decode(bits, {1, 2, 1});
  case types::Float8E8M0:
    return bits == 0xff ? nan : std::ldexp(1.0, int(bits) - 127);
  default:
    return nan;
  }
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

template <typename T> static T load(const Tensor &tensor, uint64_t i) {
  T value;
  std::memcpy(&value, tensor.bytes().data() + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T> static void store(Tensor &tensor, uint64_t i, T value) {
  std::memcpy(tensor.bytes().data() + i * sizeof(T), &value, sizeof(T));
}

/// The bits of an element of less than a byte.
static unsigned packedBits(const Tensor &tensor, uint64_t i) {
  unsigned width = format::elementBits(tensor.type());
  unsigned shift = unsigned(i * width % 8);
  return unsigned(tensor.bytes()[i * width / 8]) >> shift & ((1u << width) - 1);
}

static void setPackedBits(Tensor &tensor, uint64_t i, unsigned bits) {
  unsigned width = format::elementBits(tensor.type());
  unsigned shift = unsigned(i * width % 8), mask = (1u << width) - 1;
  std::byte &byte = tensor.bytes()[i * width / 8];
  byte =
      std::byte((unsigned(byte) & ~(mask << shift)) | (bits & mask) << shift);
}

static int64_t signExtend(unsigned bits, unsigned width) {
  return int64_t(uint64_t(bits) << (64 - width)) >> (64 - width);
}

int64_t mkrt::io::integerAt(const Tensor &tensor, uint64_t i) {
  switch (tensor.type()) {
  case types::Bool:
    return load<uint8_t>(tensor, i) != 0;
  case types::UInt8:
    return load<uint8_t>(tensor, i);
  case types::Int8:
    return load<int8_t>(tensor, i);
  case types::UInt16:
    return load<uint16_t>(tensor, i);
  case types::Int16:
    return load<int16_t>(tensor, i);
  case types::UInt32:
    return load<uint32_t>(tensor, i);
  case types::Int32:
    return load<int32_t>(tensor, i);
  case types::UInt64:
  case types::Int64:
    return load<int64_t>(tensor, i);
  case types::Int4:
    return signExtend(packedBits(tensor, i), 4);
  case types::Int2:
    return signExtend(packedBits(tensor, i), 2);
  default:
    return packedBits(tensor, i);
  }
}

double mkrt::io::numberAt(const Tensor &tensor, uint64_t i) {
  switch (tensor.type()) {
  case types::Float:
  case types::Complex64:
    return load<float>(tensor, i);
  case types::Double:
  case types::Complex128:
    return load<double>(tensor, i);
  case types::Float16:
    return format::halfToFloat(load<uint16_t>(tensor, i));
  case types::BFloat16:
    return format::bfloat16ToFloat(load<uint16_t>(tensor, i));
  case types::UInt64:
    return double(load<uint64_t>(tensor, i));
  case types::Float4E2M1:
    return smallFloat(tensor.type(), packedBits(tensor, i));
  case types::Float8E4M3FN:
  case types::Float8E4M3FNUZ:
  case types::Float8E5M2:
  case types::Float8E5M2FNUZ:
  case types::Float8E8M0:
    return smallFloat(tensor.type(), load<uint8_t>(tensor, i));
  default:
    return double(integerAt(tensor, i));
  }
}

void mkrt::io::setInteger(Tensor &tensor, uint64_t i, int64_t value) {
  switch (format::elementBits(tensor.type())) {
  case 8:
    return store(tensor, i,
                 tensor.type() == types::Bool ? uint8_t(value != 0)
                                              : uint8_t(value));
  case 16:
    return store(tensor, i, uint16_t(value));
  case 32:
    return store(tensor, i, uint32_t(value));
  case 64:
    return store(tensor, i, value);
  default:
    return setPackedBits(tensor, i, unsigned(value));
  }
}

/// The bits of the value of a small float type that is nearest to `value`.
static unsigned nearestSmallFloat(DataType type, double value) {
  unsigned best = 0, count = 1u << format::elementBits(type);
  double distance = std::numeric_limits<double>::infinity();
  for (unsigned bits = 0; bits < count; ++bits) {
    double d = std::fabs(smallFloat(type, bits) - value);
    if (d < distance)
      best = bits, distance = d;
  }
  return best;
}

void mkrt::io::setNumber(Tensor &tensor, uint64_t i, double value) {
  switch (tensor.type()) {
  case types::Float:
  case types::Complex64:
    return store(tensor, i, float(value));
  case types::Double:
  case types::Complex128:
    return store(tensor, i, value);
  case types::Float16:
    return store(tensor, i, format::floatToHalf(float(value)));
  case types::BFloat16:
    return store(tensor, i, format::floatToBfloat16(float(value)));
  case types::Float4E2M1:
    return setPackedBits(tensor, i, nearestSmallFloat(tensor.type(), value));
  case types::Float8E4M3FN:
  case types::Float8E4M3FNUZ:
  case types::Float8E5M2:
  case types::Float8E5M2FNUZ:
  case types::Float8E8M0:
    return store(tensor, i, uint8_t(nearestSmallFloat(tensor.type(), value)));
  default:
    return setInteger(tensor, i, int64_t(value));
  }
}

uint64_t mkrt::io::numberCount(const Tensor &tensor) {
  bool complex = elementClass(tensor.type()) == ElementClass::Complex;
  return tensor.elementCount() * (complex ? 2 : 1);
}
