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

Type mkc::onnx::elementType(MLIRContext *context, int64_t dataType) {
  auto integer = [&](unsigned width) {
    return IntegerType::get(context, width);
  };
  auto unsignedInteger = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (static_cast<DataType>(dataType)) {
  case DataType::Undefined:
    break;
  case DataType::Float:
    return Float32Type::get(context);
  case DataType::Uint8:
    return unsignedInteger(8);
  case DataType::Int8:
    return integer(8);
  case DataType::Uint16:
    return unsignedInteger(16);
  case DataType::Int16:
    return integer(16);
  case DataType::Int32:
    return integer(32);
  case DataType::Int64:
    return integer(64);
  case DataType::String:
    return StringType::get(context);
  case DataType::Bool:
    return integer(1);
  case DataType::Float16:
    return Float16Type::get(context);
  case DataType::Double:
    return Float64Type::get(context);
  case DataType::Uint32:
    return unsignedInteger(32);
  case DataType::Uint64:
    return unsignedInteger(64);
  case DataType::Complex64:
    return ComplexType::get(Float32Type::get(context));
  case DataType::Complex128:
    return ComplexType::get(Float64Type::get(context));
  case DataType::Bfloat16:
    return BFloat16Type::get(context);
  case DataType::Float8e4m3fn:
    return Float8E4M3FNType::get(context);
  case DataType::Float8e4m3fnuz:
    return Float8E4M3FNUZType::get(context);
  case DataType::Float8e5m2:
    return Float8E5M2Type::get(context);
  case DataType::Float8e5m2fnuz:
    return Float8E5M2FNUZType::get(context);
  case DataType::Uint4:
    return unsignedInteger(4);
  case DataType::Int4:
    return integer(4);
  case DataType::Float4e2m1:
    return Float4E2M1FNType::get(context);
  case DataType::Float8e8m0:
    return Float8E8M0FNUType::get(context);
  case DataType::Uint2:
    return unsignedInteger(2);
  case DataType::Int2:
    return integer(2);
  case DataType::Float6e2m3:
    return Float6E2M3FNType::get(context);
  case DataType::Float6e3m2:
    return Float6E3M2FNType::get(context);
  }
  return ElemType::get(context, dataType);
}

unsigned mkc::onnx::storedBits(int64_t dataType) {
  switch (static_cast<DataType>(dataType)) {
  case DataType::Undefined:
  case DataType::String:
    return 0;
  case DataType::Uint2:
  case DataType::Int2:
    return 2;
  case DataType::Uint4:
  case DataType::Int4:
  case DataType::Float4e2m1:
    return 4;
  case DataType::Float6e2m3:
  case DataType::Float6e3m2:
    return 6;
  case DataType::Uint8:
  case DataType::Int8:
  case DataType::Bool:
  case DataType::Float8e4m3fn:
  case DataType::Float8e4m3fnuz:
  case DataType::Float8e5m2:
  case DataType::Float8e5m2fnuz:
  case DataType::Float8e8m0:
    return 8;
  case DataType::Uint16:
  case DataType::Int16:
  case DataType::Float16:
  case DataType::Bfloat16:
    return 16;
  case DataType::Float:
  case DataType::Int32:
  case DataType::Uint32:
    return 32;
  case DataType::Int64:
  case DataType::Double:
  case DataType::Uint64:
  case DataType::Complex64:
    return 64;
  case DataType::Complex128:
    return 128;
  }
  return 0;
}
