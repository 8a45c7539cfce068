//===- DataTypes.cpp - ONNX element types and their MLIR types ----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/DataTypes.h"

#include "dialects/onnx/Onnx.h"

using namespace mlir;
using namespace mkc::onnx;
namespace types = mkrt::format::types;

/// Types that the runtime has no tensors of.
static constexpr mkrt::format::DataType float6E2M3 = 27, float6E3M2 = 28;

Type mkc::onnx::elementType(MLIRContext *context,
                            mkrt::format::DataType dataType) {
  auto integer = [&](unsigned width) {
    return IntegerType::get(context, width);
  };
  auto unsignedInteger = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (dataType) {
  case types::Float:
    return Float32Type::get(context);
  case types::UInt8:
    return unsignedInteger(8);
  case types::Int8:
    return integer(8);
  case types::UInt16:
    return unsignedInteger(16);
  case types::Int16:
    return integer(16);
  case types::Int32:
    return integer(32);
  case types::Int64:
    return integer(64);
  case types::String:
    return StringType::get(context);
  case types::Bool:
    return integer(1);
  case types::Float16:
    return Float16Type::get(context);
  case types::Double:
    return Float64Type::get(context);
  case types::UInt32:
    return unsignedInteger(32);
  case types::UInt64:
    return unsignedInteger(64);
  case types::Complex64:
    return ComplexType::get(Float32Type::get(context));
  case types::Complex128:
    return ComplexType::get(Float64Type::get(context));
  case types::BFloat16:
    return BFloat16Type::get(context);
  case types::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case types::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case types::Float8E5M2:
    return Float8E5M2Type::get(context);
  case types::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case types::UInt4:
    return unsignedInteger(4);
  case types::Int4:
    return integer(4);
  case types::Float4E2M1:
    return Float4E2M1FNType::get(context);
  case types::Float8E8M0:
    return Float8E8M0FNUType::get(context);
  case types::UInt2:
    return unsignedInteger(2);
  case types::Int2:
    return integer(2);
  case float6E2M3:
    return Float6E2M3FNType::get(context);
  case float6E3M2:
    return Float6E3M2FNType::get(context);
  }
  return ElemType::get(context, dataType);
}

std::optional<mkrt::format::DataType> mkc::onnx::dataTypeOf(Type type) {
  for (mkrt::format::DataType number = 1; number <= float6E3M2; ++number)
    if (elementType(type.getContext(), number) == type)
      return number;
  return std::nullopt;
}

unsigned mkc::onnx::storedBits(mkrt::format::DataType dataType) {
  if (dataType == float6E2M3 || dataType == float6E3M2)
    return 6;
  return mkrt::format::elementBits(dataType);
}
