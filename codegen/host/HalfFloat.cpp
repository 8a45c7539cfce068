//===- HalfFloat.cpp - f16 and bf16 in registers --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runtime/format/HalfFloat.h does, on vectors: LLVM would call a library
// for each lane, but for f16 on CPUs with F16C. The instruction that AVX-512
// has for bf16 takes denormals for zero, so it is of no use.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/KernelBuilder.h"
#include "dialects/nn/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <bit>

using namespace mlir;
using namespace mkc;
using namespace mkc::host;

namespace {

/// Arithmetic on bits, in scalars or vectors of `like`'s shape.
class Bits {
public:
  Bits(OpBuilder &builder, Location loc, Value like)
      : b(loc, builder), like(like.getType()) {}

  Value constant(uint32_t value, unsigned width = 32) {
    Type type = withElement(b.getIntegerType(width));
    auto attr = b.getIntegerAttr(b.getIntegerType(width), APInt(width, value));
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(vector, ArrayRef<Attribute>(attr)));
    return arith::ConstantOp::create(b, attr);
  }
  Value number(float value) {
    return asFloat(constant(std::bit_cast<uint32_t>(value)));
  }

  Value asFloat(Value x) { return bitcast(x, b.getF32Type()); }
  Value asBits(Value x) { return bitcast(x, b.getI32Type()); }
  Value bitcast(Value x, Type element) {
    return arith::BitcastOp::create(b, withElement(element), x);
  }
  Value zeroExtend(Value x) {
    return arith::ExtUIOp::create(b, withElement(b.getI32Type()), x);
  }
  Value truncate(Value x) {
    return arith::TruncIOp::create(b, withElement(b.getIntegerType(16)), x);
  }
  Value extendFloat(Value x) {
    return arith::ExtFOp::create(b, withElement(b.getF32Type()), x);
  }
  Value roundFloat(Value x, Type element) {
    return arith::TruncFOp::create(b, withElement(element), x);
  }

  Value both(Value x, uint32_t y) {
    return arith::AndIOp::create(b, x, constant(y));
  }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value either(Value x, uint32_t y) { return either(x, constant(y)); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value add(Value x, uint32_t y) { return add(x, constant(y)); }
  Value left(Value x, uint32_t by) {
    return arith::ShLIOp::create(b, x, constant(by));
  }
  Value right(Value x, uint32_t by) {
    return arith::ShRUIOp::create(b, x, constant(by));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// On magnitudes, which signed comparisons (all that SSE has) order too.
  Value below(Value x, uint32_t y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, constant(y));
  }
  Value isNaN(Value x) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value addFloats(Value x, Value y) { return arith::AddFOp::create(b, x, y); }

  /// Half of the last digit kept, less the even ones' part: added, it rounds to
  /// the nearest when the lowest `digits` are cut.
  Value roundingOf(Value x, uint32_t digits) {
    Value odd = both(right(x, digits), 1);
    return add(odd, (1u << (digits - 1)) - 1);
  }

private:
  Type withElement(Type element) {
    if (auto vector = dyn_cast<VectorType>(like))
      return vector.clone(element);
    return element;
  }

  ImplicitLocOpBuilder b;
  Type like;
};

} // namespace

static Value extendHalf(Bits &m, Value wide) {
  constexpr uint32_t infinity = 0x7c00 << 13;
  Value sign = m.left(m.both(wide, 0x8000), 16);
  Value magnitude = m.left(m.both(wide, 0x7fff), 13);
  // The exponent is 112 too small, which a product corrects for denormals too.
  Value scaled = m.asBits(m.multiply(m.asFloat(magnitude), m.number(0x1p112f)));
  Value special = m.either(magnitude, 0x7f800000);
  Value bits = m.select(m.below(magnitude, infinity), scaled, special);
  return m.asFloat(m.either(sign, bits));
}

static Value roundToHalf(Bits &m, Value value) {
  Value bits = m.asBits(value);
  Value sign = m.both(m.right(bits, 16), 0x8000);
  Value magnitude = m.both(bits, 0x7fffffff);
  // In steps of 2^-24, as in [0.5, 1).
  Value denormal =
      m.add(m.asBits(m.addFloats(m.asFloat(magnitude), m.number(0.5f))),
            -std::bit_cast<uint32_t>(0.5f));
  Value normal = m.right(
      m.add(m.add(magnitude, m.roundingOf(magnitude, 13)), -(112u << 23)), 13);
  Value finite = m.select(m.below(magnitude, 0x38800000), denormal, normal);
  Value bounded =
      m.select(m.below(magnitude, 0x477ff000), finite, m.constant(0x7c00));
  Value nan = m.either(m.both(m.right(magnitude, 13), 0x3ff), 0x7e00);
  return m.either(sign, m.select(m.isNaN(value), nan, bounded));
}

static Value roundToBfloat16(Bits &m, Value value) {
  Value bits = m.asBits(value);
  Value rounded = m.right(m.add(bits, m.roundingOf(bits, 16)), 16);
  Value nan = m.either(m.right(bits, 16), 0x40);
  return m.select(m.isNaN(value), nan, rounded);
}

Value KernelBuilder::extend(Value value, Type element) {
  if (!nn::isHalf(element))
    return value;
  Bits m(b, loc, value);
  if (element.isF16() && machine.convertsHalf)
    return m.extendFloat(m.bitcast(value, element));
  Value wide = m.zeroExtend(value);
  return element.isF16() ? extendHalf(m, wide) : m.asFloat(m.left(wide, 16));
}

Value KernelBuilder::round(Value value, Type element) {
  Bits m(b, loc, value);
  if (element.isF16() && machine.convertsHalf)
    return m.bitcast(m.roundFloat(value, element), b.getIntegerType(16));
  return m.truncate(element.isF16() ? roundToHalf(m, value)
                                    : roundToBfloat16(m, value));
}
