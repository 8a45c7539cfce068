//===- Activations.cpp - Functions of one operand -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/Families.h"
#include "passes/conversion/OnnxToNn/NodeConversion.h"
#include "passes/conversion/OnnxToNn/ScalarMath.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mkc;

namespace {
using Scalar = Value (*)(const ScalarMath &, Value x);
using ScalarWith = llvm::function_ref<Value(const ScalarMath &, Value x)>;
} // namespace

static LogicalResult convertUnary(NodeConversion &c, ScalarWith fn) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  Value x = c.input(0);
  return c.pushElementwise(x, elementOf(x),
                           [&](OpBuilder &b, Location at, ValueRange v) {
                             return fn(ScalarMath(b, at), v[0]);
                           });
}

/// The converter of an operator that is the scalar function `fn` of one
/// operand.
template <Scalar fn> static LogicalResult unary(NodeConversion &c) {
  return convertUnary(c, fn);
}

/// As above, for one op of `math` or `arith`.
template <typename Op> static LogicalResult unaryOp(NodeConversion &c) {
  if (failed(c.expectInputs(1, 1)))
    return failure();
  Value x = c.input(0);
  return c.pushElementwise(
      x, elementOf(x), [](OpBuilder &b, Location at, ValueRange v) -> Value {
        return Op::create(b, at, v[0]);
      });
}

//===----------------------------------------------------------------------===//
// Scalar functions
//===----------------------------------------------------------------------===//

static Value sigmoid(const ScalarMath &m, Value x) {
  Value one = m.number(1, x);
  return m.div(one, m.add(one, m.exp(m.neg(x))));
}
static Value relu(const ScalarMath &m, Value x) {
  return m.max(x, m.number(0, x));
}
/// log(1 + exp(x)) without overflow.
static Value softplus(const ScalarMath &m, Value x) {
  Value tail = m.log1p(m.exp(m.neg(m.abs(x))));
  return m.add(m.max(x, m.number(0, x)), tail);
}
static Value softsign(const ScalarMath &m, Value x) {
  return m.div(x, m.add(m.number(1, x), m.abs(x)));
}
static Value mish(const ScalarMath &m, Value x) {
  return m.mul(x, m.tanh(softplus(m, x)));
}
static Value reciprocal(const ScalarMath &m, Value x) {
  return m.div(m.number(1, x), x);
}
/// NaN and zeros are their own sign.
static Value sign(const ScalarMath &m, Value x) {
  Value zero = m.number(0, x);
  return m.select(m.gt(x, zero), m.number(1, x),
                  m.select(m.lt(x, zero), m.number(-1, x), x));
}
static Value absolute(const ScalarMath &m, Value x) { return m.abs(x); }
static Value negative(const ScalarMath &m, Value x) { return m.neg(x); }

/// max(0, min(1, alpha * x + beta))
static Value hardSigmoid(const ScalarMath &m, Value x, double alpha,
                         double beta) {
  Value line = m.add(m.mul(m.number(alpha, x), x), m.number(beta, x));
  return m.max(m.number(0, x), m.min(m.number(1, x), line));
}
static Value hardSwish(const ScalarMath &m, Value x) {
  return m.mul(x, hardSigmoid(m, x, 1.0 / 6, 0.5));
}
static Value gelu(const ScalarMath &m, Value x) {
  Value half = m.mul(m.number(0.5, x), x);
  Value erf = m.erf(m.mul(x, m.number(std::sqrt(0.5), x)));
  return m.mul(half, m.add(m.number(1, x), erf));
}
static Value geluTanh(const ScalarMath &m, Value x) {
  Value cube = m.mul(m.mul(x, x), x);
  Value inner = m.mul(m.number(std::sqrt(2 / M_PI), x),
                      m.add(x, m.mul(m.number(0.044715, x), cube)));
  return m.mul(m.mul(m.number(0.5, x), x),
               m.add(m.number(1, x), m.tanh(inner)));
}

//===----------------------------------------------------------------------===//
// Operators with attributes or more inputs
//===----------------------------------------------------------------------===//

static LogicalResult convertLeakyRelu(NodeConversion &c) {
  double alpha = c.floatAttr("alpha", 0.01);
  return convertUnary(c, [&](const ScalarMath &m, Value x) {
    return m.select(m.lt(x, m.number(0, x)), m.mul(m.number(alpha, x), x), x);
  });
}

/// x for x > 0, else alpha * (exp(x / divisor) - 1), all times gamma.
static LogicalResult convertExponentialUnit(NodeConversion &c, double alpha,
                                            double divisor, double gamma) {
  return convertUnary(c, [&](const ScalarMath &m, Value x) {
    Value scaled = divisor == 1 ? x : m.div(x, m.number(divisor, x));
    Value tail =
        m.mul(m.number(alpha, x), m.sub(m.exp(scaled), m.number(1, x)));
    Value unit = m.select(m.lt(x, m.number(0, x)), tail, x);
    return gamma == 1 ? unit : m.mul(m.number(gamma, x), unit);
  });
}
static LogicalResult convertElu(NodeConversion &c) {
  return convertExponentialUnit(c, c.floatAttr("alpha", 1), 1, 1);
}
static LogicalResult convertCelu(NodeConversion &c) {
  double alpha = c.floatAttr("alpha", 1);
  return convertExponentialUnit(c, alpha, alpha, 1);
}
static LogicalResult convertSelu(NodeConversion &c) {
  return convertExponentialUnit(
      c, c.floatAttr("alpha", 1.67326319217681884765625), 1,
      c.floatAttr("gamma", 1.05070102214813232421875));
}

static LogicalResult convertHardSigmoid(NodeConversion &c) {
  double alpha = c.floatAttr("alpha", 0.2), beta = c.floatAttr("beta", 0.5);
  return convertUnary(c, [&](const ScalarMath &m, Value x) {
    return hardSigmoid(m, x, alpha, beta);
  });
}

static LogicalResult convertThresholdedRelu(NodeConversion &c) {
  double alpha = c.floatAttr("alpha", 1);
  return convertUnary(c, [&](const ScalarMath &m, Value x) {
    return m.select(m.gt(x, m.number(alpha, x)), x, m.number(0, x));
  });
}

static LogicalResult convertGelu(NodeConversion &c) {
  std::string approximate = c.stringAttr("approximate", "none");
  if (approximate == "none")
    return convertUnary(c, gelu);
  if (approximate == "tanh")
    return convertUnary(c, geluTanh);
  return c.error() << "attribute approximate is '" << approximate
                   << "', but must be 'none' or 'tanh'";
}

static LogicalResult convertPRelu(NodeConversion &c) {
  if (failed(c.expectInputs(2, 2)) || failed(c.expectSameType({0, 1})))
    return failure();
  Value x = c.input(0), slope = c.input(1);
  // Up to opset 6 a slope is per channel, or one for all.
  int64_t rank = shapeOf(x).size();
  if (c.opset() < 7 && rank > 2 && shapeOf(slope).size() == 1) {
    SmallVector<int64_t> perChannel(rank - 1, 1);
    perChannel[0] = shapeOf(slope)[0];
    slope = c.reshape(slope, perChannel);
  }
  auto shape = broadcastShapes(shapeOf(x), shapeOf(slope));
  if (!shape || ArrayRef<int64_t>(*shape) != shapeOf(x))
    return c.error() << "slope of shape " << shapeText(shapeOf(slope))
                     << " does not broadcast to " << shapeText(shapeOf(x));
  return c.pushElementwise(
      {x, slope}, elementOf(x), [](OpBuilder &b, Location at, ValueRange v) {
        ScalarMath m(b, at);
        return m.select(m.lt(v[0], m.number(0, v[0])), m.mul(v[0], v[1]), v[0]);
      });
}

/// min(max(x, low), high) with either bound optional.
static LogicalResult convertClip(NodeConversion &c) {
  if (failed(c.expectInputs(1, 3)))
    return failure();
  Value x = c.input(0), low = c.input(1), high = c.input(2);
  if (failed(c.expectSameType()))
    return failure();
  auto bound = [&](StringRef name) -> Value {
    if (!c.hasAttr(name))
      return {};
    return c.splat({},
                   c.builder.getFloatAttr(elementOf(x), c.floatAttr(name, 0)));
  };
  if (c.opset() < 11) {
    if (!isFloat(x))
      return c.error() << "element type " << onnxTypeName(elementOf(x))
                       << " needs opset 12";
    low = bound("min");
    high = bound("max");
  }
  SmallVector<Value> operands = {x};
  for (Value limit : {low, high}) {
    if (limit && tensorTypeOf(limit).getNumElements() != 1)
      return c.error() << "a bound has shape " << shapeText(shapeOf(limit))
                       << ", but must be a scalar";
    if (limit)
      operands.push_back(c.reshape(limit, {}));
  }
  return c.pushElementwise(operands, elementOf(x),
                           [&](OpBuilder &b, Location at, ValueRange v) {
                             ScalarMath m(b, at);
                             Value y = low ? m.max(v[0], v[1]) : v[0];
                             return high ? m.min(y, v.back()) : y;
                           });
}

void mkc::addActivations(std::vector<OpEntry> &table) {
  auto add = [&](StringRef name, int64_t since, ElementTypes types,
                 LogicalResult (*convert)(NodeConversion &)) {
    table.push_back(
        {"", name, OpFamily::Elementwise, since, kNewestOpset, types, convert});
  };
  add("Abs", 6, kNumbers, unary<absolute>);
  add("Neg", 6, kNumbers, unary<negative>);
  add("Sign", 9, kNumbers, unary<sign>);
  add("Relu", 6, kNumbers, unary<relu>);
  add("Reciprocal", 6, kFloats, unary<reciprocal>);
  add("Sigmoid", 6, kFloats, unary<sigmoid>);
  add("Softplus", 1, kFloats, unary<softplus>);
  add("Softsign", 1, kFloats, unary<softsign>);
  add("Mish", 18, kFloats, unary<mish>);
  add("HardSwish", 14, kFloats, unary<hardSwish>);
  add("Sqrt", 6, kFloats, unaryOp<math::SqrtOp>);
  add("Exp", 6, kFloats, unaryOp<math::ExpOp>);
  add("Log", 6, kFloats, unaryOp<math::LogOp>);
  add("Sin", 7, kFloats, unaryOp<math::SinOp>);
  add("Cos", 7, kFloats, unaryOp<math::CosOp>);
  add("Tan", 7, kFloats, unaryOp<math::TanOp>);
  add("Tanh", 6, kFloats, unaryOp<math::TanhOp>);
  add("Erf", 9, kNumbers, [](NodeConversion &c) -> LogicalResult {
    if (failed(c.expectInputs(1, 1)))
      return failure();
    // On integers the function is computed in f32 and truncated.
    return convertUnary(c, [](const ScalarMath &m, Value x) {
      Type f32 = Float32Type::get(x.getContext());
      return m.cast(m.erf(m.cast(x, f32)), x.getType());
    });
  });
  add("Ceil", 6, kFloats, unaryOp<math::CeilOp>);
  add("Floor", 6, kFloats, unaryOp<math::FloorOp>);
  add("Round", 11, kFloats, unaryOp<math::RoundEvenOp>);
  add("LeakyRelu", 6, kFloats, convertLeakyRelu);
  add("Elu", 6, kFloats, convertElu);
  add("Celu", 12, kFloats, convertCelu);
  add("Selu", 6, kFloats, convertSelu);
  add("HardSigmoid", 6, kFloats, convertHardSigmoid);
  add("ThresholdedRelu", 10, kFloats, convertThresholdedRelu);
  add("Gelu", 20, kFloats, convertGelu);
  add("PRelu", 6, kNumbers, convertPRelu);
  add("Clip", 6, kNumbers, convertClip);
}
