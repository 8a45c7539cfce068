//===- ScalarMath.cpp - Scalar arithmetic in the bodies of generics -------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/ScalarMath.h"

#include "dialects/nn/ElementTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mkc;

static bool isFloatScalar(Value x) { return isa<FloatType>(x.getType()); }

Value ScalarMath::number(double value, Type type) const {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  return integer(int64_t(value), type);
}
Value ScalarMath::integer(int64_t value, Type type) const {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value ScalarMath::add(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::AddFOp::create(b, loc, x, y);
  return arith::AddIOp::create(b, loc, x, y);
}
Value ScalarMath::sub(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::SubFOp::create(b, loc, x, y);
  return arith::SubIOp::create(b, loc, x, y);
}
Value ScalarMath::mul(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::MulFOp::create(b, loc, x, y);
  return arith::MulIOp::create(b, loc, x, y);
}
Value ScalarMath::div(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::DivFOp::create(b, loc, x, y);
  return divideGuarded(x, y, /*remainder=*/false);
}
Value ScalarMath::rem(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::RemFOp::create(b, loc, x, y);
  return divideGuarded(x, y, /*remainder=*/true);
}

/// Division of integers by 0, and of the smallest by -1, is undefined in
/// `arith`: both divisors are replaced by 1 and the results selected.
Value ScalarMath::divideGuarded(Value x, Value y, bool remainder) const {
  auto emit = [&](Value divisor) -> Value {
    if (remainder)
      return arith::RemSIOp::create(b, loc, x, divisor);
    return arith::DivSIOp::create(b, loc, x, divisor);
  };
  APInt constant;
  if (matchPattern(y, m_ConstantInt(&constant)) && !constant.isZero() &&
      !constant.isAllOnes())
    return emit(y);
  Value zero = integer(0, x.getType()), one = integer(1, x.getType());
  Value isZero = eq(y, zero), isMinusOne = eq(y, integer(-1, x.getType()));
  Value result = emit(select(logicalOr(isZero, isMinusOne), one, y));
  if (!remainder)
    result = select(isMinusOne, neg(x), result);
  return select(isZero, zero, result);
}

Value ScalarMath::floorMod(Value x, Value y) const {
  Value r = rem(x, y);
  Value zero = number(0, x);
  Value yIsNegative = lt(y, zero);
  Value differs = ne(lt(r, zero), yIsNegative);
  Value moved = select(differs, add(r, y), r);
  // A zero has the sign of y too.
  Value none =
      isFloatScalar(x) ? select(yIsNegative, number(-0.0, x), zero) : r;
  return select(ne(r, zero), moved, none);
}

Value ScalarMath::max(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::MaximumFOp::create(b, loc, x, y);
  if (x.getType().isInteger(1))
    return logicalOr(x, y);
  return arith::MaxSIOp::create(b, loc, x, y);
}
Value ScalarMath::min(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::MinimumFOp::create(b, loc, x, y);
  if (x.getType().isInteger(1))
    return logicalAnd(x, y);
  return arith::MinSIOp::create(b, loc, x, y);
}
Value ScalarMath::neg(Value x) const {
  if (isFloatScalar(x))
    return arith::NegFOp::create(b, loc, x);
  return sub(number(0, x), x);
}
Value ScalarMath::abs(Value x) const {
  if (isFloatScalar(x))
    return math::AbsFOp::create(b, loc, x);
  return select(lt(x, number(0, x)), neg(x), x);
}

/// x to an integer power by squaring, modulo 2^n for x of n bits, over the bits
/// that the exponent has.
Value ScalarMath::integerPow(Value x, Value exponent) const {
  Type type = x.getType(), exponentType = exponent.getType();
  Value zero = integer(0, type), one = integer(1, type);
  Value noExponent = integer(0, exponentType);
  Value isNegative = lt(exponent, noExponent);
  // 1 / x^n is 0 unless x is 1 or -1, whose inverses are themselves.
  Value isUnit = logicalOr(eq(x, one), eq(x, integer(-1, type)));
  Value magnitude = select(isNegative, neg(exponent), exponent);
  unsigned bits = exponentType.getIntOrFloatBitWidth() - 1;
  APInt known;
  if (matchPattern(exponent, m_ConstantInt(&known)))
    bits = known.abs().getActiveBits();
  Value result = one, square = x;
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value isSet =
        ne(arith::AndIOp::create(b, loc, magnitude,
                                 integer(int64_t(1) << bit, exponentType)),
           noExponent);
    result = select(isSet, mul(result, square), result);
    if (bit + 1 < bits)
      square = mul(square, square);
  }
  return select(
      logicalAnd(isNegative, arith::XOrIOp::create(b, loc, isUnit,
                                                   integer(1, b.getI1Type()))),
      zero, result);
}

Value ScalarMath::pow(Value x, Value exponent) const {
  Attribute constant;
  std::optional<double> known;
  if (matchPattern(exponent, m_Constant(&constant))) {
    if (auto value = dyn_cast<FloatAttr>(constant))
      known = value.getValueAsDouble();
    else if (auto value = dyn_cast<IntegerAttr>(constant))
      known = double(value.getInt());
  }
  if (known == 0.0)
    return number(1, x);
  if (known == 1.0)
    return x;
  if (known == 2.0)
    return mul(x, x);
  if (known == 3.0)
    return mul(mul(x, x), x);
  if (isFloatScalar(x)) {
    if (known == 0.5) { // IEEE 754: pow(-0, 0.5) = 0, pow(-inf, 0.5) = inf.
      double infinity = std::numeric_limits<double>::infinity();
      return select(eq(x, number(-infinity, x)), number(infinity, x),
                    add(sqrt(x), number(0, x)));
    }
    if (known == -1.0)
      return div(number(1, x), x);
    return math::PowFOp::create(b, loc, x, cast(exponent, x.getType()));
  }
  if (!isFloatScalar(exponent))
    return integerPow(x, exponent);
  // An integer to a float power: exact if the power is whole.
  Value whole = floatToInteger(exponent, b.getI64Type());
  Value isWhole = eq(floor(exponent), exponent);
  Value fraction =
      math::PowFOp::create(b, loc, cast(x, exponent.getType()), exponent);
  return select(isWhole, integerPow(x, whole), cast(fraction, x.getType()));
}

Value ScalarMath::eq(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
}
Value ScalarMath::ne(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x, y);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, y);
}
Value ScalarMath::lt(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
}
Value ScalarMath::le(Value x, Value y) const {
  if (isFloatScalar(x))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE, x, y);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, x, y);
}
Value ScalarMath::select(Value condition, Value x, Value y) const {
  return arith::SelectOp::create(b, loc, condition, x, y);
}
Value ScalarMath::logicalNot(Value x) const {
  return arith::XOrIOp::create(b, loc, x, integer(1, x.getType()));
}
Value ScalarMath::logicalAnd(Value x, Value y) const {
  return arith::AndIOp::create(b, loc, x, y);
}
Value ScalarMath::logicalOr(Value x, Value y) const {
  return arith::OrIOp::create(b, loc, x, y);
}

Value ScalarMath::exp(Value x) const { return math::ExpOp::create(b, loc, x); }
Value ScalarMath::log(Value x) const { return math::LogOp::create(b, loc, x); }
Value ScalarMath::log1p(Value x) const {
  return math::Log1pOp::create(b, loc, x);
}
Value ScalarMath::sqrt(Value x) const {
  return math::SqrtOp::create(b, loc, x);
}
Value ScalarMath::tanh(Value x) const {
  return math::TanhOp::create(b, loc, x);
}
Value ScalarMath::erf(Value x) const { return math::ErfOp::create(b, loc, x); }
Value ScalarMath::floor(Value x) const {
  return math::FloorOp::create(b, loc, x);
}
Value ScalarMath::isNaN(Value x) const {
  return math::IsNaNOp::create(b, loc, x);
}

/// `arith.fptosi` is undefined outside the integer's range: the operand is
/// brought into it, NaN becomes 0, and what was too large the largest integer.
Value ScalarMath::floatToInteger(Value x, Type to) const {
  double limit = std::ldexp(1.0, to.getIntOrFloatBitWidth() - 1);
  Value zero = number(0, x), low = number(-limit, x);
  Value known = select(isNaN(x), zero, x);
  Value tooLarge = ge(known, number(limit, x));
  Value bounded = select(tooLarge, zero, select(lt(known, low), low, known));
  Value converted = arith::FPToSIOp::create(b, loc, to, bounded);
  int64_t largest = to.isInteger(32) ? INT32_MAX : INT64_MAX;
  return select(tooLarge, integer(largest, to), converted);
}

Value ScalarMath::cast(Value x, Type to) const {
  Type from = x.getType();
  if (from == to)
    return x;
  if (nn::isHalf(from))
    return cast(arith::ExtFOp::create(b, loc, nn::computeType(from), x), to);
  if (nn::isHalf(to))
    return arith::TruncFOp::create(b, loc, to, cast(x, nn::computeType(to)));
  if (to.isInteger(1))
    return ne(x, number(0, x));
  if (isa<FloatType>(from))
    return floatToInteger(x, to);
  bool isBool = from.isInteger(1);
  if (isa<FloatType>(to)) {
    if (isBool)
      return arith::UIToFPOp::create(b, loc, to, x);
    return arith::SIToFPOp::create(b, loc, to, x);
  }
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, loc, to, x);
  if (isBool)
    return arith::ExtUIOp::create(b, loc, to, x);
  return arith::ExtSIOp::create(b, loc, to, x);
}
