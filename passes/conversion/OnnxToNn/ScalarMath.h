//===- ScalarMath.h - Scalar arithmetic in the bodies of generics ---------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mkc {

/// Emits scalar `arith` and `math` ops with the semantics of docs/ir.md:
/// integers wrap, their division never traps, conversions saturate, NaN
/// propagates through maximum and minimum.
class ScalarMath {
public:
  using Value = mlir::Value;
  ScalarMath(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// A constant of `like`'s type.
  Value number(double value, Value like) const {
    return number(value, like.getType());
  }
  Value number(double value, mlir::Type type) const;
  Value integer(int64_t value, mlir::Type type) const;

  // The same operations on floats and integers; on i1 max is or, min is and.
  Value add(Value x, Value y) const;
  Value sub(Value x, Value y) const;
  Value mul(Value x, Value y) const;
  /// Truncates on integers; x / 0 is 0 there.
  Value div(Value x, Value y) const;
  /// C's remainder: the sign of x.
  Value rem(Value x, Value y) const;
  /// Python's modulus: the sign of y.
  Value floorMod(Value x, Value y) const;
  Value max(Value x, Value y) const;
  Value min(Value x, Value y) const;
  Value neg(Value x) const;
  Value abs(Value x) const;
  Value pow(Value x, Value exponent) const;

  // Comparisons are false if an operand is NaN, but `ne`.
  Value eq(Value x, Value y) const;
  Value ne(Value x, Value y) const;
  Value lt(Value x, Value y) const;
  Value le(Value x, Value y) const;
  Value gt(Value x, Value y) const { return lt(y, x); }
  Value ge(Value x, Value y) const { return le(y, x); }
  Value select(Value condition, Value x, Value y) const;
  Value logicalNot(Value x) const;
  Value logicalAnd(Value x, Value y) const;
  Value logicalOr(Value x, Value y) const;

  Value exp(Value x) const;
  Value log(Value x) const;
  Value log1p(Value x) const;
  Value sqrt(Value x) const;
  Value tanh(Value x) const;
  Value erf(Value x) const;
  Value floor(Value x) const;
  Value isNaN(Value x) const;

  /// ONNX Cast between the types of level 2.
  Value cast(Value x, mlir::Type to) const;

private:
  Value integerPow(Value x, Value exponent) const;
  Value divideGuarded(Value x, Value y, bool remainder) const;
  Value floatToInteger(Value x, mlir::Type to) const;

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace mkc
