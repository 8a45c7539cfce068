//===- ExpandMath.cpp - Transcendental functions as arithmetic ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's approximations serve where they hold for every float. They don't for
// some functions: its sine and cosine lose all digits of large arguments (and
// the sign of zero), its logarithm takes denormals for the smallest normal
// number, its exponential flushes denormal results to zero, and its power has
// no negative bases. These are computed here, in f64 where f32 has too few bits
// between its steps.
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace {

/// Arithmetic on floats, and on vectors of them.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc) : b(loc, builder) {}

  Value constant(double value, Value like) {
    return attribute(b.getFloatAttr(getElementTypeOrSelf(like), value), like);
  }
  Value integer(int64_t value, Value like) {
    return attribute(b.getI64IntegerAttr(value), like);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value mul(Value x, double y) { return mul(x, constant(y, x)); }
  Value add(Value x, double y) { return add(x, constant(y, x)); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value floor(Value x) { return math::FloorOp::create(b, x); }
  Value round(Value x) { return math::RoundEvenOp::create(b, x); }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value compare(arith::CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(b, predicate, x, constant(y, x));
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value toF64(Value x) {
    return arith::ExtFOp::create(b, withElement(x, b.getF64Type()), x);
  }
  Value toF32(Value x) {
    return arith::TruncFOp::create(b, withElement(x, b.getF32Type()), x);
  }
  /// c[0] + c[1] x + c[2] x^2 + ...
  Value polynomial(Value x, ArrayRef<double> c) {
    Value sum = constant(c.back(), x);
    for (double coefficient : llvm::reverse(c.drop_back()))
      sum = fma(sum, x, constant(coefficient, x));
    return sum;
  }

  Value sine(Value x, int64_t quarterTurns);
  Value power(Value x, Value y);
  Value logarithm(Value x);
  Value exponential(Value x);

private:
  Type withElement(Value like, Type element) {
    if (auto vector = dyn_cast<VectorType>(like.getType()))
      return vector.clone(element);
    return element;
  }
  Value attribute(TypedAttr value, Value like) {
    if (auto vector = dyn_cast<VectorType>(like.getType()))
      value = DenseElementsAttr::get(vector.clone(value.getType()),
                                     ArrayRef<Attribute>(value));
    return arith::ConstantOp::create(b, value);
  }
  Value quarters(Value x);
  Value log2(Value x);
  Value exp2(Value x);

  ImplicitLocOpBuilder b;
};

using enum arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

/// x * 2 / pi, less some multiple of 4, in [-16, 16]. The digits of 2 / pi come
/// in pieces of 24 bits, whose products with an f32 are exact in f64, as is
/// taking multiples of 4 away from them: so the digits that matter are kept for
/// the largest x.
Value Emitter::quarters(Value x) {
  constexpr uint32_t digits[] = {0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1,
                                 0xF534DD, 0xC0DB62, 0x95993C, 0x439041};
  Value sum;
  for (auto [i, piece] : llvm::enumerate(digits)) {
    Value part = mul(x, std::ldexp(double(piece), -24 * (int(i) + 1)));
    part = fma(round(mul(part, 0.25)), constant(-4, part), part);
    sum = sum ? add(sum, part) : part;
  }
  return sum;
}

/// The sine of x, which is f64, plus a number of quarter turns.
Value Emitter::sine(Value x, int64_t quarterTurns) {
  Value turns = quarters(x);
  Value whole = round(turns);
  Value angle = mul(sub(turns, whole), std::numbers::pi / 2);
  Value square = mul(angle, angle);
  Value sine = mul(angle, polynomial(square, {1, -1.0 / 6, 1.0 / 120,
                                              -1.0 / 5040, 1.0 / 362880}));
  Value cosine = polynomial(
      square, {1, -0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800});
  Value quarter = add(whole, double(quarterTurns));
  Value inTurn = fma(floor(mul(quarter, 0.25)), constant(-4, x), quarter);
  Value inHalf = fma(floor(mul(quarter, 0.5)), constant(-2, x), quarter);
  Value result = select(compare(OEQ, inHalf, 1), cosine, sine);
  Value negative = arith::NegFOp::create(b, result);
  return select(compare(OGE, inTurn, 2), negative, result);
}

//===----------------------------------------------------------------------===//
// Powers and logarithms
//===----------------------------------------------------------------------===//

/// The binary logarithm of a positive normal f64: the exponent, and a series of
/// (m - 1) / (m + 1) for m in [sqrt(1/2), sqrt(2)).
Value Emitter::log2(Value x) {
  Type i64 = withElement(x, b.getI64Type());
  Value bits = arith::BitcastOp::create(b, i64, x);
  // Adding the distance from sqrt(1/2) to 1 carries into the exponent.
  constexpr int64_t half = 0x3FE6A09E667F3BCD, one = 0x3FF0000000000000;
  Value shifted = arith::AddIOp::create(b, bits, integer(one - half, bits));
  Value exponent = arith::SubIOp::create(
      b, arith::ShRUIOp::create(b, shifted, integer(52, bits)),
      integer(1023, bits));
  Value scale = arith::ShLIOp::create(b, exponent, integer(52, bits));
  Value m = arith::BitcastOp::create(b, x.getType(),
                                     arith::SubIOp::create(b, bits, scale));
  Value s = arith::DivFOp::create(b, add(m, -1), add(m, 1));
  SmallVector<double> series;
  for (int i = 0; i < 8; ++i)
    series.push_back(2 / std::numbers::ln2 / (2 * i + 1));
  Value whole = arith::SIToFPOp::create(b, x.getType(), exponent);
  return fma(s, polynomial(mul(s, s), series), whole);
}

/// 2^x; outside [-300, 300] whatever is infinite or zero in f32.
Value Emitter::exp2(Value x) {
  x = arith::MinimumFOp::create(b, x, constant(300, x));
  x = arith::MaximumFOp::create(b, x, constant(-300, x));
  Value whole = round(x);
  SmallVector<double> series;
  double term = 1;
  for (int i = 1; i <= 11; ++i) {
    series.push_back(term);
    term *= std::numbers::ln2 / i;
  }
  Value fraction = polynomial(sub(x, whole), series);
  // The sum ends in the low bits of the mantissa: 2^52 has steps of 1.
  Value shifted = add(whole, 0x1p52 + 0x1p51 + 1023);
  Type i64 = withElement(x, b.getI64Type());
  Value bits = arith::BitcastOp::create(b, i64, shifted);
  Value scale = arith::BitcastOp::create(
      b, x.getType(), arith::ShLIOp::create(b, bits, integer(52, bits)));
  return mul(fraction, scale);
}

/// x^y for f32, with the special cases of IEEE 754.
Value Emitter::power(Value x, Value y) {
  Value magnitude = math::AbsFOp::create(b, x);
  Value wide = toF64(magnitude);
  double infinity = std::numeric_limits<double>::infinity();
  Value log = log2(wide);
  log = select(compare(OEQ, wide, 0), constant(-infinity, wide), log);
  // Infinite and NaN.
  log = select(compare(OLT, wide, infinity), log, wide);
  Value result = toF32(exp2(mul(toF64(y), log)));
  Value one = constant(1, x);
  Value isUnit = both(compare(OEQ, magnitude, 1), compare(ORD, y, y));
  result = select(isUnit, one, result);

  Value isWhole = compare(OEQ, floor(y), y);
  Value halfY = mul(y, 0.5);
  Value isOdd = both(isWhole, compare(UNE, floor(halfY), halfY));
  Value signedResult = math::CopySignOp::create(b, result, x);
  result = select(isOdd, signedResult, result);
  Value hasNoRoot = both(compare(OLT, x, 0), compare(OGT, x, -infinity));
  Value isFraction = compare(UNE, floor(y), y);
  result =
      select(both(hasNoRoot, isFraction),
             constant(std::numeric_limits<double>::quiet_NaN(), x), result);
  result = select(compare(OEQ, y, 0), one, result);
  return select(compare(OEQ, x, 1), one, result);
}

/// e^x for f32. The factor 2^n is applied in two halves, so that a result below
/// the smallest normal number is rounded once.
Value Emitter::exponential(Value x) {
  // 2^n stays in range of its halves; beyond, e^x is infinite or zero anyway.
  Value limited = arith::MinimumFOp::create(b, x, constant(90, x));
  limited = arith::MaximumFOp::create(b, limited, constant(-105, x));
  Value n = round(mul(limited, 1 / std::numbers::ln2));
  // ln 2 in two pieces, the first of which has zeros at its end.
  constexpr double high = 0x1.62e4p-1;
  Value r = fma(n, constant(-high, n), limited);
  r = fma(n, constant(high - std::numbers::ln2, n), r);
  SmallVector<double> series;
  double term = 1;
  for (int i = 1; i <= 8; ++i) {
    series.push_back(term);
    term /= i;
  }
  auto powerOfTwo = [&](Value exponent) {
    // The sum ends in the low bits of the mantissa: 2^23 has steps of 1.
    Value shifted = add(exponent, 0x1p23 + 0x1p22 + 127);
    Value bits =
        arith::BitcastOp::create(b, withElement(x, b.getI32Type()), shifted);
    Value shift = attribute(b.getI32IntegerAttr(23), x);
    return arith::BitcastOp::create(b, x.getType(),
                                    arith::ShLIOp::create(b, bits, shift))
        .getResult();
  };
  Value half = floor(mul(n, 0.5));
  return mul(mul(polynomial(r, series), powerOfTwo(half)),
             powerOfTwo(sub(n, half)));
}

/// The natural logarithm of f32, denormals made normal first.
Value Emitter::logarithm(Value x) {
  Value isDenormal = compare(OLT, x, 0x1p-126);
  Value scaled = select(isDenormal, mul(x, 0x1p23), x);
  Value correction =
      select(isDenormal, constant(-23 * std::numbers::ln2, x), constant(0, x));
  return add(math::LogOp::create(b, scaled), correction);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

bool isF32(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

Value expand(Emitter &e, Operation *op) {
  Value x = op->getOperand(0);
  if (isa<math::SinOp>(op))
    return e.toF32(e.sine(e.toF64(x), 0));
  if (isa<math::CosOp>(op))
    return e.toF32(e.sine(e.toF64(x), 1));
  if (isa<math::LogOp>(op))
    return e.logarithm(x);
  if (isa<math::ExpOp>(op))
    return e.exponential(x);
  if (isa<math::PowFOp>(op))
    return e.power(x, op->getOperand(1));
  return {};
}

struct ExpandMathPass
    : PassWrapper<ExpandMathPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMathPass)

  void runOnOperation() override {
    RewritePatternSet tangents(&getContext());
    math::populateExpansionPatterns(tangents, {"tan"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(tangents))))
      return signalPassFailure();
    expandOwn();
    RewritePatternSet polynomials(&getContext());
    auto isVectorised = [](StringRef name) {
      return llvm::is_contained({"math.atan", "math.atan2", "math.tanh",
                                 "math.log", "math.log2", "math.log1p",
                                 "math.erf", "math.expm1"},
                                name);
    };
    populateMathF32ExpansionPatterns(polynomials, isVectorised);
    populateMathPolynomialApproximationPatterns(polynomials, isVectorised);
    if (failed(applyPatternsGreedily(getOperation(), std::move(polynomials))))
      signalPassFailure();
  }

  void expandOwn() {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<math::SinOp, math::CosOp, math::LogOp, math::ExpOp, math::PowFOp>(
              op) &&
          isF32(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      Emitter emitter(builder, op->getLoc());
      op->replaceAllUsesWith(ValueRange{expand(emitter, op)});
      op->erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> mkc::codegen::createExpandMathPass() {
  return std::make_unique<ExpandMathPass>();
}
