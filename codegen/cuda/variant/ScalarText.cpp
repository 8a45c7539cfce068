//===- ScalarText.cpp - Scalar ops as CUDA C++ ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/ScalarText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::cuda;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

std::string mkc::cuda::scalarType(Type type) {
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isInteger(1))
    return "bool";
  if (type.isInteger(8))
    return "u8";
  if (type.isInteger(16))
    return "u16";
  return "i" + std::to_string(type.getIntOrFloatBitWidth());
}

static std::string floatLiteral(FloatAttr attr) {
  APFloat value = attr.getValue();
  unsigned width = attr.getType().getIntOrFloatBitWidth();
  std::string text;
  llvm::raw_string_ostream out(text);
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  if (width == 16)
    out << scalarType(attr.getType()) << "{" << bits << "}";
  else if (!value.isFinite())
    out << "mk_bits<" << scalarType(attr.getType()) << ">("
        << llvm::format_hex(bits, width / 4 + 2) << (width == 32 ? "u" : "ull")
        << ")";
  else if (width == 32) // nine digits tell any two floats apart
    out << llvm::format("%.9e", double(value.convertToFloat())) << "f";
  else
    out << llvm::format("%.17e", value.convertToDouble());
  return text;
}

std::string mkc::cuda::literal(Attribute value, bool wideIndex) {
  if (auto real = dyn_cast<FloatAttr>(value))
    return floatLiteral(real);
  auto integer = cast<IntegerAttr>(value);
  if (integer.getType().isInteger(1))
    return integer.getValue().isZero() ? "false" : "true";
  unsigned width = integer.getType().isIndex()
                       ? (wideIndex ? 64 : 32)
                       : integer.getType().getIntOrFloatBitWidth();
  int64_t number = integer.getValue().getSExtValue();
  if (width == 8)
    return "u8(" + std::to_string(number & 0xff) + ")";
  // The smallest number is no literal: the minus applies to what has no type.
  if (width == 32)
    return number == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(number);
  return number == INT64_MIN ? "(-9223372036854775807ll - 1)"
                             : "i64(" + std::to_string(number) + "ll)";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {
class Expression {
public:
  Expression(Operation &op, ArrayRef<std::string> operands, bool wideIndex)
      : op(op), operands(operands), wideIndex(wideIndex) {}

  std::optional<std::string> text() {
    if (std::optional<std::string> result = floats())
      return result;
    if (std::optional<std::string> result = integers())
      return result;
    return casts();
  }

private:
  using Text = std::optional<std::string>;

  std::string typeOf(Type type) const {
    return type.isIndex() ? (wideIndex ? "i64" : "i32") : scalarType(type);
  }
  std::string resultType() const { return typeOf(op.getResult(0).getType()); }
  std::string unsignedType() const {
    Type type = op.getResult(0).getType();
    if (type.isInteger(1))
      return "bool";
    return "u" + (type.isInteger(8) ? "8" : resultType().substr(1));
  }

  std::string infix(const std::string &sign) const {
    return operands[0] + " " + sign + " " + operands[1];
  }
  std::string call(const std::string &name) const {
    std::string text = name + "(";
    for (auto [i, operand] : llvm::enumerate(operands))
      text += (i ? ", " : "") + operand;
    return text + ")";
  }
  /// Signed overflow is undefined in C++.
  std::string wrapping(const std::string &sign) const {
    std::string u = unsignedType();
    return (resultType() + "(" + u + "(" + operands[0] + ") " + sign + " " + u +
            "(" + operands[1] + "))");
  }
  /// Of an unsigned shift or comparison.
  std::string asUnsigned(Type type, const std::string &operand) const {
    return "u" +
           (type.isInteger(8) ? std::string("8") : typeOf(type).substr(1)) +
           "(" + operand + ")";
  }

  Text floats() {
    return llvm::TypeSwitch<Operation *, Text>(&op)
        .Case([&](arith::AddFOp) { return infix("+"); })
        .Case([&](arith::SubFOp) { return infix("-"); })
        .Case([&](arith::MulFOp) { return infix("*"); })
        .Case([&](arith::DivFOp) { return call("mk_div"); })
        .Case([&](arith::RemFOp) { return call("mk_fmod"); })
        .Case([&](arith::NegFOp) { return "-" + operands[0]; })
        .Case([&](arith::MaximumFOp) { return call("mk_max"); })
        .Case([&](arith::MinimumFOp) { return call("mk_min"); })
        .Case([&](arith::MaxNumFOp) { return call("mk_max_number"); })
        .Case([&](arith::MinNumFOp) { return call("mk_min_number"); })
        .Case([&](math::FmaOp) { return call("mk_fma"); })
        .Case([&](math::SqrtOp) { return call("mk_sqrt"); })
        .Case([&](math::RsqrtOp) {
          return "mk_rcp(mk_sqrt(" + operands[0] + "))";
        })
        .Case([&](math::AbsFOp) { return call("mk_abs"); })
        .Case([&](math::FloorOp) { return call("mk_floor"); })
        .Case([&](math::CeilOp) { return call("mk_ceil"); })
        .Case([&](math::TruncOp) { return call("mk_trunc"); })
        .Case([&](math::RoundEvenOp) { return call("mk_round_even"); })
        .Case([&](math::CopySignOp) { return call("mk_copysign"); })
        .Case([&](math::IsNaNOp) { return operands[0] + " != " + operands[0]; })
        .Case([&](math::IsInfOp) { return call("mk_is_infinite"); })
        .Case([&](arith::CmpFOp compare) { return compareFloats(compare); })
        .Default([](Operation *) { return std::nullopt; });
  }

  /// Ordered comparisons are C++'s; unordered ones are true where the opposite
  /// ordered one is false.
  Text compareFloats(arith::CmpFOp compare) {
    using P = arith::CmpFPredicate;
    const std::string &a = operands[0], &c = operands[1];
    auto opposite = [&](const std::string &sign) -> std::string {
      return "!(" + a + " " + sign + " " + c + ")";
    };
    switch (compare.getPredicate()) {
    case P::AlwaysFalse:
      return "false";
    case P::AlwaysTrue:
      return "true";
    case P::OEQ:
      return infix("==");
    case P::OGT:
      return infix(">");
    case P::OGE:
      return infix(">=");
    case P::OLT:
      return infix("<");
    case P::OLE:
      return infix("<=");
    case P::ONE:
      return a + " < " + c + " || " + a + " > " + c;
    case P::ORD:
      return a + " == " + a + " && " + c + " == " + c;
    case P::UEQ:
      return "!(" + a + " < " + c + " || " + a + " > " + c + ")";
    case P::UGT:
      return opposite("<=");
    case P::UGE:
      return opposite("<");
    case P::ULT:
      return opposite(">=");
    case P::ULE:
      return opposite(">");
    case P::UNE:
      return infix("!=");
    case P::UNO:
      return a + " != " + a + " || " + c + " != " + c;
    }
    return std::nullopt;
  }

  Text integers() {
    bool isBool = op.getResult(0).getType().isInteger(1);
    return llvm::TypeSwitch<Operation *, Text>(&op)
        .Case(
            [&](arith::AddIOp) { return isBool ? infix("!=") : wrapping("+"); })
        .Case(
            [&](arith::SubIOp) { return isBool ? infix("!=") : wrapping("-"); })
        .Case(
            [&](arith::MulIOp) { return isBool ? infix("&&") : wrapping("*"); })
        .Case([&](arith::DivSIOp) { return call("mk_div"); })
        .Case([&](arith::RemSIOp) { return call("mk_rem"); })
        .Case([&](arith::DivUIOp) {
          Type type = op.getResult(0).getType();
          return resultType() + "(mk_div(" + asUnsigned(type, operands[0]) +
                 ", " + asUnsigned(type, operands[1]) + "))";
        })
        .Case([&](arith::FloorDivSIOp) { return call("mk_floor_div"); })
        .Case([&](arith::MaxSIOp) {
          return infix("<") + " ? " + operands[1] + " : " + operands[0];
        })
        .Case([&](arith::MinSIOp) {
          return infix("<") + " ? " + operands[0] + " : " + operands[1];
        })
        .Case([&](arith::MaxUIOp) {
          Type type = op.getResult(0).getType();
          return asUnsigned(type, operands[0]) + " < " +
                 asUnsigned(type, operands[1]) + " ? " + operands[1] + " : " +
                 operands[0];
        })
        .Case([&](arith::MinUIOp) {
          Type type = op.getResult(0).getType();
          return asUnsigned(type, operands[0]) + " < " +
                 asUnsigned(type, operands[1]) + " ? " + operands[0] + " : " +
                 operands[1];
        })
        .Case([&](arith::AndIOp) { return infix(isBool ? "&&" : "&"); })
        .Case([&](arith::OrIOp) { return infix(isBool ? "||" : "|"); })
        .Case([&](arith::XOrIOp) { return infix(isBool ? "!=" : "^"); })
        .Case([&](arith::ShLIOp) {
          return resultType() + "(" + unsignedType() + "(" + operands[0] +
                 ") << " + operands[1] + ")";
        })
        .Case([&](arith::ShRUIOp) {
          return resultType() + "(" + unsignedType() + "(" + operands[0] +
                 ") >> " + operands[1] + ")";
        })
        .Case([&](arith::ShRSIOp) { return infix(">>"); })
        .Case([&](arith::CmpIOp compare) { return compareIntegers(compare); })
        .Case([&](arith::SelectOp) {
          return operands[0] + " ? " + operands[1] + " : " + operands[2];
        })
        .Default([](Operation *) { return std::nullopt; });
  }

  Text compareIntegers(arith::CmpIOp compare) {
    using P = arith::CmpIPredicate;
    Type type = compare.getLhs().getType();
    auto asUnsignedBoth = [&](const std::string &sign) -> std::string {
      if (type.isInteger(1))
        return infix(sign);
      return (asUnsigned(type, operands[0]) + " " + sign + " " +
              asUnsigned(type, operands[1]));
    };
    // i1 is signed in MLIR: true is -1.
    bool isBool = type.isInteger(1);
    switch (compare.getPredicate()) {
    case P::eq:
      return infix("==");
    case P::ne:
      return infix("!=");
    case P::slt:
      return infix(isBool ? ">" : "<");
    case P::sle:
      return infix(isBool ? ">=" : "<=");
    case P::sgt:
      return infix(isBool ? "<" : ">");
    case P::sge:
      return infix(isBool ? "<=" : ">=");
    case P::ult:
      return asUnsignedBoth("<");
    case P::ule:
      return asUnsignedBoth("<=");
    case P::ugt:
      return asUnsignedBoth(">");
    case P::uge:
      return asUnsignedBoth(">=");
    }
    return std::nullopt;
  }

  Text casts() {
    std::string to = resultType();
    auto convert = [&](const std::string &value) {
      return to + "(" + value + ")";
    };
    return llvm::TypeSwitch<Operation *, Text>(&op)
        .Case(
            [&](arith::ExtFOp ext) { return floatCast(ext.getIn().getType()); })
        .Case([&](arith::TruncFOp trunc) {
          return floatCast(trunc.getIn().getType());
        })
        .Case([&](arith::ExtSIOp ext) {
          // true is -1.
          return ext.getIn().getType().isInteger(1) ? "-" + convert(operands[0])
                                                    : convert(operands[0]);
        })
        .Case([&](arith::ExtUIOp ext) {
          Type from = ext.getIn().getType();
          return convert(from.isInteger(1) ? operands[0]
                                           : asUnsigned(from, operands[0]));
        })
        .Case([&](arith::TruncIOp) {
          return to == "bool" ? "(" + operands[0] + " & 1) != 0"
                              : convert(operands[0]);
        })
        .Case([&](arith::IndexCastOp) { return convert(operands[0]); })
        .Case([&](arith::IndexCastUIOp cast) {
          Type from = cast.getIn().getType();
          return convert(from.isInteger(1) ? operands[0]
                                           : asUnsigned(from, operands[0]));
        })
        .Case([&](arith::SIToFPOp) { return convert(operands[0]); })
        .Case([&](arith::UIToFPOp cast) {
          Type from = cast.getIn().getType();
          return convert(from.isInteger(1) ? operands[0]
                                           : asUnsigned(from, operands[0]));
        })
        .Case([&](arith::FPToSIOp) {
          return "mk_to_" + to + "(" + operands[0] + ")";
        })
        .Case([&](arith::BitcastOp) {
          return "mk_bits<" + to + ">(" + operands[0] + ")";
        })
        .Default([](Operation *) { return std::nullopt; });
  }

  /// Half floats are structs of bits: arithmetic is done in f32.
  Text floatCast(Type from) {
    Type to = op.getResult(0).getType();
    std::string value = operands[0];
    if (from.getIntOrFloatBitWidth() == 16)
      value = "mk_to_f32(" + value + ")";
    else if (to.getIntOrFloatBitWidth() == 16 && from.isF64())
      return std::nullopt; // would round twice
    if (to.isF16())
      return "mk_f32_to_f16(" + value + ")";
    if (to.isBF16())
      return "mk_f32_to_bf16(" + value + ")";
    return to.isF64() || from.isF64() ? scalarType(to) + "(" + value + ")"
                                      : value;
  }

  Operation &op;
  ArrayRef<std::string> operands;
  bool wideIndex;
};
} // namespace

std::optional<std::string>
mkc::cuda::scalarExpression(Operation &op, ArrayRef<std::string> operands,
                            bool wideIndex) {
  if (op.getNumResults() != 1)
    return std::nullopt;
  return Expression(op, operands, wideIndex).text();
}
