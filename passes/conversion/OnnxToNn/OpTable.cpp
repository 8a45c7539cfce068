//===- OpTable.cpp - The ONNX operators that the conversion knows ---------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/conversion/OnnxToNn/OpTable.h"
#include "passes/conversion/OnnxToNn/Families.h"

#include "dialects/onnx/Onnx.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mkc;

namespace {
/// Element types by their number in TensorProto.DataType, with ONNX's names.
struct OnnxType {
  int64_t number;
  StringRef name;
  Type (*get)(Builder &);
};
} // namespace

static ArrayRef<OnnxType> onnxTypes() {
  static const OnnxType types[] = {
      {1, "float", [](Builder &b) -> Type { return b.getF32Type(); }},
      {2, "uint8",
       [](Builder &b) -> Type { return b.getIntegerType(8, false); }},
      {3, "int8", [](Builder &b) -> Type { return b.getI8Type(); }},
      {4, "uint16",
       [](Builder &b) -> Type { return b.getIntegerType(16, false); }},
      {5, "int16", [](Builder &b) -> Type { return b.getI16Type(); }},
      {6, "int32", [](Builder &b) -> Type { return b.getI32Type(); }},
      {7, "int64", [](Builder &b) -> Type { return b.getI64Type(); }},
      {8, "string",
       [](Builder &b) -> Type {
         return onnx::StringType::get(b.getContext());
       }},
      {9, "bool", [](Builder &b) -> Type { return b.getI1Type(); }},
      {10, "float16", [](Builder &b) -> Type { return b.getF16Type(); }},
      {11, "double", [](Builder &b) -> Type { return b.getF64Type(); }},
      {12, "uint32",
       [](Builder &b) -> Type { return b.getIntegerType(32, false); }},
      {13, "uint64",
       [](Builder &b) -> Type { return b.getIntegerType(64, false); }},
      {14, "complex64",
       [](Builder &b) -> Type { return ComplexType::get(b.getF32Type()); }},
      {15, "complex128",
       [](Builder &b) -> Type { return ComplexType::get(b.getF64Type()); }},
      {16, "bfloat16", [](Builder &b) -> Type { return b.getBF16Type(); }},
      {17, "float8e4m3fn",
       [](Builder &b) -> Type {
         return Float8E4M3FNType::get(b.getContext());
       }},
      {18, "float8e4m3fnuz",
       [](Builder &b) -> Type {
         return Float8E4M3FNUZType::get(b.getContext());
       }},
      {19, "float8e5m2",
       [](Builder &b) -> Type { return Float8E5M2Type::get(b.getContext()); }},
      {20, "float8e5m2fnuz",
       [](Builder &b) -> Type {
         return Float8E5M2FNUZType::get(b.getContext());
       }},
      {21, "uint4",
       [](Builder &b) -> Type { return b.getIntegerType(4, false); }},
      {22, "int4", [](Builder &b) -> Type { return b.getIntegerType(4); }},
      {23, "float4e2m1",
       [](Builder &b) -> Type {
         return Float4E2M1FNType::get(b.getContext());
       }},
      {24, "float8e8m0",
       [](Builder &b) -> Type {
         return Float8E8M0FNUType::get(b.getContext());
       }},
      {25, "uint2",
       [](Builder &b) -> Type { return b.getIntegerType(2, false); }},
      {26, "int2", [](Builder &b) -> Type { return b.getIntegerType(2); }},
  };
  return types;
}

ElementTypes mkc::elementTypeBit(Type element) {
  if (element.isF32())
    return ElementTypes::F32;
  if (element.isF16())
    return ElementTypes::F16;
  if (element.isBF16())
    return ElementTypes::BF16;
  if (element.isSignlessInteger(32))
    return ElementTypes::I32;
  if (element.isSignlessInteger(64))
    return ElementTypes::I64;
  if (element.isSignlessInteger(1))
    return ElementTypes::Bool;
  return ElementTypes::None;
}

bool mkc::contains(ElementTypes set, ElementTypes type) {
  return type != ElementTypes::None && (uint32_t(set) & uint32_t(type)) != 0;
}

std::string mkc::onnxTypeName(Type type) {
  Builder builder(type.getContext());
  for (const OnnxType &row : onnxTypes())
    if (row.get(builder) == type)
      return row.name.str();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Type mkc::elementTypeOfOnnx(int64_t dataType, MLIRContext *context) {
  Builder builder(context);
  for (const OnnxType &row : onnxTypes())
    if (row.number == dataType)
      return row.get(builder);
  return {};
}

StringRef mkc::familyName(OpFamily family) {
  switch (family) {
  case OpFamily::Elementwise:
    return "elementwise";
  case OpFamily::Logic:
    return "logic";
  case OpFamily::Reduction:
    return "reduction";
  case OpFamily::Normalization:
    return "normalization";
  case OpFamily::MatMul:
    return "matmul";
  case OpFamily::Convolution:
    return "convolution";
  case OpFamily::Pooling:
    return "pooling";
  case OpFamily::Shape:
    return "shape";
  case OpFamily::Data:
    return "data";
  case OpFamily::Constant:
    return "constant";
  }
  return "";
}

static std::vector<OpEntry> makeTable() {
  std::vector<OpEntry> table;
  addActivations(table);
  addArithmetic(table);
  addLogic(table);
  addReductions(table);
  addNormalizations(table);
  addMatMuls(table);
  addConvolutions(table);
  addPooling(table);
  addShapeOps(table);
  addDataOps(table);
  addPad(table);
  addConstants(table);
  llvm::sort(table, [](const OpEntry &a, const OpEntry &b) {
    return std::pair(a.domain, a.opType) < std::pair(b.domain, b.opType);
  });
  return table;
}

ArrayRef<OpEntry> mkc::opTable() {
  static const std::vector<OpEntry> table = makeTable();
  return table;
}

const OpEntry *mkc::findOp(StringRef domain, StringRef opType, int64_t opset) {
  if (domain == "ai.onnx")
    domain = "";
  for (const OpEntry &entry : opTable())
    if (entry.domain == domain && entry.opType == opType &&
        opset >= entry.firstOpset && opset <= entry.lastOpset)
      return &entry;
  return nullptr;
}
