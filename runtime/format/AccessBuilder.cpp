//===- AccessBuilder.cpp - Building the code of accesses ------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/AccessProgram.h"

#include <algorithm>
#include <cassert>

using namespace mkrt::format;

using Value = AccessBuilder::Value;

std::optional<int64_t> AccessBuilder::known(Value v) const {
  if (code_[v].op == AccessOp::Constant)
    return code_[v].imm;
  return std::nullopt;
}

Value AccessBuilder::emit(AccessOp op, Value a, Value b, Value c, int64_t imm) {
  bool commutes = op == AccessOp::Add || op == AccessOp::Mul ||
                  op == AccessOp::Min || op == AccessOp::Max;
  if (commutes && a > b)
    std::swap(a, b);
  for (size_t i = 0; i < code_.size(); ++i) {
    const AccessInstr &instr = code_[i];
    if (instr.op == op && instr.a == a && instr.b == b && instr.c == c &&
        instr.imm == imm)
      return Value(i);
  }
  assert(code_.size() < UINT16_MAX && "an access program has 16-bit registers");
  code_.push_back({op, 0, a, b, c, imm});
  return Value(code_.size() - 1);
}

Value AccessBuilder::constant(int64_t v) {
  return emit(AccessOp::Constant, 0, 0, 0, v);
}

Value AccessBuilder::tile() { return emit(AccessOp::Tile, 0, 0, 0, 0); }

Value AccessBuilder::dim(unsigned number) {
  return emit(AccessOp::Dim, 0, 0, 0, number);
}

Value AccessBuilder::add(Value a, Value b) {
  std::optional<int64_t> x = known(a), y = known(b);
  int64_t sum;
  if (x && y && !__builtin_add_overflow(*x, *y, &sum))
    return constant(sum);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  return emit(AccessOp::Add, a, b, 0, 0);
}

Value AccessBuilder::mul(Value a, Value b) {
  std::optional<int64_t> x = known(a), y = known(b);
  int64_t product;
  if (x && y && !__builtin_mul_overflow(*x, *y, &product))
    return constant(product);
  if (x == 0 || y == 1)
    return a;
  if (y == 0 || x == 1)
    return b;
  return emit(AccessOp::Mul, a, b, 0, 0);
}

Value AccessBuilder::floorDiv(Value a, Value b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y && *y > 0)
    return constant(*x / *y - (*x % *y < 0));
  if (y == 1)
    return a;
  return emit(AccessOp::FloorDiv, a, b, 0, 0);
}

Value AccessBuilder::mod(Value a, Value b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y && *y > 0)
    return constant(*x % *y + (*x % *y < 0 ? *y : 0));
  if (y == 1)
    return constant(0);
  return emit(AccessOp::Mod, a, b, 0, 0);
}

Value AccessBuilder::min(Value a, Value b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return constant(std::min(*x, *y));
  return a == b ? a : emit(AccessOp::Min, a, b, 0, 0);
}

Value AccessBuilder::max(Value a, Value b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return constant(std::max(*x, *y));
  return a == b ? a : emit(AccessOp::Max, a, b, 0, 0);
}

Value AccessBuilder::select(Value condition, Value ifPositive,
                            Value otherwise) {
  if (std::optional<int64_t> c = known(condition))
    return *c > 0 ? ifPositive : otherwise;
  if (ifPositive == otherwise)
    return ifPositive;
  return emit(AccessOp::Select, condition, ifPositive, otherwise, 0);
}

AccessEntry AccessBuilder::entry(unsigned operand, AccessMode mode,
                                 Value offset, std::span<const Dim> dims,
                                 Value innerBytes) const {
  assert(dims.size() <= kMaxBoxRank && operand <= UINT16_MAX);
  AccessEntry entry{};
  entry.instrCount = uint16_t(code_.size());
  entry.operand = uint16_t(operand);
  entry.mode = mode;
  entry.rank = uint8_t(dims.size());
  entry.offset = offset;
  entry.innerBytes = innerBytes;
  for (size_t k = 0; k < dims.size(); ++k) {
    entry.size[k] = dims[k].size;
    entry.stride[k] = dims[k].stride;
  }
  return entry;
}
