//===- ScalarProgram.cpp - The body of a linalg.generic as vector code ----===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Interpreter/ScalarProgram.h"
#include "dialects/nn/Level2.h"
#include "passes/graph/Interpreter/TensorValue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mkc;

namespace {
using Kernel = std::function<void(char *, const char *const *, int64_t)>;

/// A kernel that applies `fn` to one, two or three operands of type T.
template <typename R, typename... T, typename F> Kernel map(F fn) {
  return [fn](char *to, const char *const *from, int64_t n) {
    R *result = reinterpret_cast<R *>(to);
    [&]<size_t... I>(std::index_sequence<I...>) {
      for (int64_t i = 0; i < n; ++i)
        result[i] = fn(reinterpret_cast<const T *>(from[I])[i]...);
    }(std::index_sequence_for<T...>());
  };
}

/// Calls `fn` with a value of the C++ type that holds elements of `type`.
template <typename F> Kernel onInteger(Type type, F fn) {
  if (type.isInteger(1))
    return fn(uint8_t());
  if (type.isInteger(32))
    return fn(int32_t());
  return fn(int64_t());
}
template <typename F> Kernel onFloat(Type type, F fn) {
  return type.isF64() ? fn(double()) : fn(float());
}
/// f16 and bf16 have conversions only.
template <typename F> Kernel onStoredFloat(Type type, F fn) {
  if (type.isF16())
    return fn(F16());
  if (type.isBF16())
    return fn(BF16());
  return onFloat(type, fn);
}
template <typename F> Kernel onAny(Type type, F fn) {
  return isa<FloatType>(type) ? onStoredFloat(type, fn) : onInteger(type, fn);
}

/// C++ has no wrapping signed arithmetic: it is done on the unsigned type.
template <typename T> using Unsigned = std::make_unsigned_t<T>;
/// i1 arithmetic is modulo 2.
template <typename T> T clean(T value) {
  if constexpr (std::is_same_v<T, uint8_t>)
    return value & 1;
  return value;
}

template <typename T> T divide(T a, T b) {
  if (b == 0)
    return 0;
  if (b == T(-1))
    return T(Unsigned<T>(0) - Unsigned<T>(a));
  return a / b;
}
template <typename T> T remainder(T a, T b) {
  return b == 0 || b == T(-1) ? T(0) : T(a % b);
}

template <typename T> T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
  return a > b || (a == b && !std::signbit(double(a))) ? a : b;
}
template <typename T> T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
  return a < b || (a == b && std::signbit(double(a))) ? a : b;
}

/// Conversion to an integer that is defined for every value.
template <typename I, typename F> I toInteger(F value) {
  if (std::isnan(value))
    return 0;
  if (value >= -F(std::numeric_limits<I>::min()))
    return std::numeric_limits<I>::max();
  if (value <= F(std::numeric_limits<I>::min()))
    return std::numeric_limits<I>::min();
  return I(value);
}

template <typename T> bool compareFloats(arith::CmpFPredicate p, T a, T b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (p) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  }
  return false;
}

template <typename T> bool compareIntegers(arith::CmpIPredicate p, T a, T b) {
  using P = arith::CmpIPredicate;
  // A signed i1 is 0 or -1.
  auto value = [](T v) {
    return std::is_same_v<T, uint8_t> ? -int64_t(v) : int64_t(v);
  };
  Unsigned<T> ua = a, ub = b;
  switch (p) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return value(a) < value(b);
  case P::sle:
    return value(a) <= value(b);
  case P::sgt:
    return value(a) > value(b);
  case P::sge:
    return value(a) >= value(b);
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}
} // namespace

// Kernels of one operand type: `FLOAT1(sqrt)` is a case for math.sqrt and so
// on.
#define FLOAT1(OP, EXPR)                                                       \
  .Case([&](OP) {                                                              \
    return onFloat(type, [](auto t) {                                          \
      using T = decltype(t);                                                   \
      return map<T, T>([](T a) -> T { return EXPR; });                         \
    });                                                                        \
  })
#define FLOAT2(OP, EXPR)                                                       \
  .Case([&](OP) {                                                              \
    return onFloat(type, [](auto t) {                                          \
      using T = decltype(t);                                                   \
      return map<T, T, T>([](T a, T b) -> T { return EXPR; });                 \
    });                                                                        \
  })
#define INT2(OP, EXPR)                                                         \
  .Case([&](OP) {                                                              \
    return onInteger(type, [](auto t) {                                        \
      using T = decltype(t);                                                   \
      using U = Unsigned<T>;                                                   \
      (void)sizeof(U);                                                         \
      return map<T, T, T>([](T a, T b) -> T { return clean(T(EXPR)); });       \
    });                                                                        \
  })

static Kernel floatKernel(Operation &op, Type type) {
  return TypeSwitch<Operation *, Kernel>(&op) FLOAT1(arith::NegFOp, -a) FLOAT1(
             math::AbsFOp, std::fabs(a)) FLOAT1(math::ExpOp, std::exp(a))
      FLOAT1(math::ExpM1Op, std::expm1(a)) FLOAT1(math::LogOp, std::log(a))
          FLOAT1(math::Log1pOp, std::log1p(a)) FLOAT1(
              math::TanhOp, std::tanh(a)) FLOAT1(math::ErfOp, std::erf(a))
              FLOAT1(math::SqrtOp, std::sqrt(a)) FLOAT1(math::RsqrtOp,
                                                        T(1) / std::sqrt(a))
                  FLOAT1(math::SinOp, std::sin(a)) FLOAT1(
                      math::CosOp, std::cos(a)) FLOAT1(math::TanOp, std::tan(a))
                      FLOAT1(math::FloorOp, std::floor(a)) FLOAT1(math::CeilOp,
                                                                  std::ceil(a))
                          FLOAT1(math::RoundEvenOp, std::nearbyint(a)) FLOAT2(
                              arith::AddFOp, a + b) FLOAT2(arith::SubFOp, a - b)
                              FLOAT2(arith::MulFOp, a * b) FLOAT2(arith::DivFOp,
                                                                  a / b)
                                  FLOAT2(arith::RemFOp, std::fmod(a, b)) FLOAT2(
                                      math::PowFOp, std::pow(a, b))
                                      FLOAT2(arith::MaximumFOp, maximum(a, b))
                                          FLOAT2(arith::MinimumFOp,
                                                 minimum(a, b))
                                              FLOAT2(arith::MaxNumFOp,
                                                     std::fmax(a, b))
                                                  FLOAT2(arith::MinNumFOp,
                                                         std::fmin(a, b))
                                                      .Default([](Operation *) {
                                                        return Kernel();
                                                      });
}

static Kernel integerKernel(Operation &op, Type type) {
  return TypeSwitch<Operation *, Kernel>(&op) INT2(arith::AddIOp, U(a) + U(b))
      INT2(arith::SubIOp, U(a) - U(b)) INT2(arith::MulIOp, U(a) * U(b))
          INT2(arith::DivSIOp, divide(a, b))
              INT2(arith::RemSIOp, remainder(a, b)) INT2(arith::AndIOp, a & b)
                  INT2(arith::OrIOp, a | b) INT2(arith::XOrIOp, a ^ b)
                      INT2(arith::MaxSIOp, a > b ? a : b)
                          INT2(arith::MinSIOp, a < b ? a : b)
                              .Default([](Operation *) { return Kernel(); });
}

#undef FLOAT1
#undef FLOAT2
#undef INT2

/// Kernels whose result type differs from the operands': comparisons, selects,
/// conversions.
static Kernel mixedKernel(Operation &op) {
  Type from = op.getNumOperands() ? op.getOperand(0).getType() : Type();
  Type to = op.getResult(0).getType();
  return TypeSwitch<Operation *, Kernel>(&op)
      .Case([&](arith::CmpFOp cmp) {
        return onFloat(from, [p = cmp.getPredicate()](auto t) {
          using T = decltype(t);
          return map<uint8_t, T, T>(
              [p](T a, T b) { return compareFloats(p, a, b); });
        });
      })
      .Case([&](arith::CmpIOp cmp) {
        return onInteger(from, [p = cmp.getPredicate()](auto t) {
          using T = decltype(t);
          return map<uint8_t, T, T>(
              [p](T a, T b) { return compareIntegers(p, a, b); });
        });
      })
      .Case([&](math::IsNaNOp) {
        return onFloat(from, [](auto t) {
          using T = decltype(t);
          return map<uint8_t, T>([](T a) { return std::isnan(a); });
        });
      })
      .Case([&](math::IsInfOp) {
        return onFloat(from, [](auto t) {
          using T = decltype(t);
          return map<uint8_t, T>([](T a) { return std::isinf(a); });
        });
      })
      .Case([&](arith::SelectOp) {
        return onAny(to, [](auto t) {
          using T = decltype(t);
          return map<T, uint8_t, T, T>(
              [](uint8_t c, T a, T b) { return c ? a : b; });
        });
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::UIToFPOp, arith::SIToFPOp>([&](Operation *cast) {
        bool isSigned = !isa<arith::ExtUIOp, arith::UIToFPOp>(cast);
        return onInteger(from, [&](auto f) {
          return onAny(to, [isSigned](auto t) {
            using T = decltype(t);
            using F = decltype(f);
            return map<T, F>([isSigned](F a) -> T {
              if constexpr (std::is_same_v<F, uint8_t>)
                return isSigned ? T(-int(a)) : T(a);
              return clean(isSigned ? T(a) : T(Unsigned<F>(a)));
            });
          });
        });
      })
      .Case([&](arith::FPToSIOp) {
        return onFloat(from, [&](auto f) {
          using F = decltype(f);
          if (to.isInteger(32))
            return map<int32_t, F>([](F a) { return toInteger<int32_t>(a); });
          return map<int64_t, F>([](F a) { return toInteger<int64_t>(a); });
        });
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) {
        return onStoredFloat(from, [&](auto f) {
          return onStoredFloat(to, [](auto t) {
            using T = decltype(t);
            using F = decltype(f);
            return map<T, F>([](F a) { return T(a); });
          });
        });
      })
      .Default([](Operation *) { return Kernel(); });
}

static Kernel constantKernel(arith::ConstantOp op) {
  if (auto value = dyn_cast<FloatAttr>(op.getValue()))
    return onStoredFloat(value.getType(), [&](auto t) {
      using T = decltype(t);
      return map<T>([v = T(value.getValueAsDouble())] { return v; });
    });
  auto value = dyn_cast<IntegerAttr>(op.getValue());
  if (!value)
    return Kernel();
  return onInteger(value.getType(), [&](auto t) {
    using T = decltype(t);
    return map<T>(
        [v = clean(T(value.getValue().getSExtValue()))] { return v; });
  });
}

Kernel ScalarProgram::kernelFor(Operation &op) {
  if (nn::computesInHalf(op))
    return Kernel();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return constantKernel(constant);
  if (Kernel mixed = mixedKernel(op))
    return mixed;
  Type type = op.getResult(0).getType();
  return isa<FloatType>(type) ? floatKernel(op, type) : integerKernel(op, type);
}

FailureOr<ScalarProgram> ScalarProgram::compile(Block &body,
                                                std::string &error) {
  ScalarProgram program;
  DenseMap<Value, unsigned> slotOf;
  auto addSlot = [&](Value value) {
    slotOf[value] = program.slots.size();
    program.slots.emplace_back(kChunk * elementBytes(value.getType()));
    return slotOf[value];
  };
  for (BlockArgument argument : body.getArguments())
    addSlot(argument);
  for (Operation &op : body.without_terminator()) {
    Step step;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      step.indexDim = index.getDim();
    } else {
      if (op.getNumResults() == 1 && op.getNumRegions() == 0)
        step.kernel = kernelFor(op);
      if (!step.kernel) {
        error = op.getName().getStringRef().str() + " is not an op of a body";
        return failure();
      }
    }
    for (Value operand : op.getOperands())
      step.operands.push_back(slotOf.lookup(operand));
    step.result = addSlot(op.getResult(0));
    program.steps.push_back(std::move(step));
  }
  for (Value value : body.getTerminator()->getOperands())
    program.results.push_back(slotOf.lookup(value));
  return program;
}

void ScalarProgram::run(int64_t n,
                        function_ref<void(int64_t, int64_t *)> index) {
  for (Step &step : steps) {
    char *to = slots[step.result].data();
    if (!step.kernel) {
      index(step.indexDim, reinterpret_cast<int64_t *>(to));
      continue;
    }
    const char *from[3];
    for (auto [i, slot] : llvm::enumerate(step.operands))
      from[i] = slots[slot].data();
    step.kernel(to, from, n);
  }
}
