//===- TypeImport.cpp - ONNX types as MLIR types --------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/TypeImport.h"

#include "compiler/onnx/DataTypes.h"
#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mkc::onnx;

/// True if the product of the dims that are known and not zero is so small that
/// byte counts of any element type fit 63 bits.
static bool isCountable(ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    if (dim > 0 && llvm::MulOverflow(product, dim, product))
      return false;
  return product <= std::numeric_limits<int64_t>::max() / 16;
}

static std::string toString(ArrayRef<int64_t> dims) {
  std::string text;
  for (int64_t dim : dims)
    text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text;
}

FailureOr<RankedTensorType>
mkc::onnx::tensorDataType(const ImportContext &import, Location loc,
                          ArrayRef<int64_t> dims, int64_t dataType) {
  for (int64_t dim : dims)
    if (dim < 0)
      return emitError(loc) << "tensor has a negative dim: " << toString(dims);
  if (!isCountable(dims))
    return emitError(loc) << "tensor is too large: " << toString(dims);
  return RankedTensorType::get(dims, elementType(import.context, dataType));
}

namespace {
/// Imports one TypeProto and those in it.
class TypeImporter {
public:
  TypeImporter(const ImportContext &import, Location loc)
      : import(import), loc(loc), builder(import.context) {}

  FailureOr<DeclaredType> importType(proto::Message message, unsigned depth);

private:
  FailureOr<DeclaredType> importTensor(proto::Message message);
  FailureOr<Type> importElement(std::optional<proto::Message> message,
                                unsigned depth);
  FailureOr<Type> importNested(proto::Message message, unsigned depth);
  FailureOr<Type> importMap(proto::Message message, unsigned depth);
  FailureOr<Type> importOpaque(proto::Message message);
  FailureOr<int64_t> importDim(proto::Message message,
                               SmallVectorImpl<Attribute> &names);

  const ImportContext &import;
  Location loc;
  Builder builder;
};
} // namespace

FailureOr<int64_t> TypeImporter::importDim(proto::Message message,
                                           SmallVectorImpl<Attribute> &names) {
  proto::Dim dim;
  if (failed(import.read(loc, message, dim)))
    return failure();
  if (dim.value && *dim.value >= 0) {
    names.push_back(builder.getI64IntegerAttr(*dim.value));
    return *dim.value;
  }
  StringRef param = dim.param.value_or("");
  names.push_back(builder.getStringAttr(param == "?" ? "" : param));
  return ShapedType::kDynamic;
}

FailureOr<DeclaredType> TypeImporter::importTensor(proto::Message message) {
  proto::TensorType tensor;
  if (failed(import.read(loc, message, tensor)))
    return failure();
  if (tensor.elementType == 0)
    return DeclaredType{UnknownType::get(import.context), nullptr};
  Type element = elementType(import.context, tensor.elementType);
  if (!tensor.shape)
    return DeclaredType{UnrankedTensorType::get(element), nullptr};

  proto::Shape shape;
  if (failed(import.read(loc, *tensor.shape, shape)))
    return failure();
  SmallVector<int64_t> dims;
  SmallVector<Attribute> names;
  for (proto::Message dim : shape.dims) {
    FailureOr<int64_t> size = importDim(dim, names);
    if (failed(size))
      return failure();
    dims.push_back(*size);
  }
  if (!isCountable(dims))
    return emitError(loc) << "tensor type is too large";
  return DeclaredType{RankedTensorType::get(dims, element),
                      builder.getArrayAttr(names)};
}

FailureOr<Type>
TypeImporter::importElement(std::optional<proto::Message> message,
                            unsigned depth) {
  if (!message)
    return Type(UnknownType::get(import.context));
  FailureOr<DeclaredType> declared = importType(*message, depth + 1);
  if (failed(declared))
    return failure();
  return declared->type;
}

FailureOr<Type> TypeImporter::importNested(proto::Message message,
                                           unsigned depth) {
  proto::ElementType type;
  if (failed(import.read(loc, message, type)))
    return failure();
  return importElement(type.element, depth);
}

FailureOr<Type> TypeImporter::importMap(proto::Message message,
                                        unsigned depth) {
  proto::MapType map;
  if (failed(import.read(loc, message, map)))
    return failure();
  FailureOr<Type> value = importElement(map.value, depth);
  if (failed(value))
    return failure();
  return Type(MapType::get(import.context,
                           elementType(import.context, map.keyType), *value));
}

FailureOr<Type> TypeImporter::importOpaque(proto::Message message) {
  proto::OpaqueType opaque;
  if (failed(import.read(loc, message, opaque)))
    return failure();
  return Type(
      mkc::onnx::OpaqueType::get(import.context, opaque.domain, opaque.name));
}

FailureOr<DeclaredType> TypeImporter::importType(proto::Message message,
                                                 unsigned depth) {
  if (depth > maxGraphNesting)
    return emitError(loc) << "type is nested deeper than " << maxGraphNesting
                          << " levels";
  proto::Type type;
  if (failed(import.read(loc, message, type)))
    return failure();
  if (type.tensor)
    return importTensor(*type.tensor);

  FailureOr<Type> result = Type(UnknownType::get(import.context));
  auto wrapped = [&](proto::Message inner, auto wrap) -> FailureOr<Type> {
    FailureOr<Type> element = importNested(inner, depth);
    if (failed(element))
      return failure();
    return Type(wrap(*element));
  };
  if (type.sequence)
    result = wrapped(*type.sequence, [&](Type element) {
      return SequenceType::get(import.context, element);
    });
  else if (type.optional)
    result = wrapped(*type.optional, [&](Type element) {
      return OptionalType::get(import.context, element);
    });
  else if (type.map)
    result = importMap(*type.map, depth);
  else if (type.opaque)
    result = importOpaque(*type.opaque);
  else if (type.sparseTensor) {
    FailureOr<DeclaredType> tensor = importTensor(*type.sparseTensor);
    if (failed(tensor))
      return failure();
    result = Type(SparseType::get(import.context, tensor->type));
  }
  if (failed(result))
    return failure();
  return DeclaredType{*result, nullptr};
}

FailureOr<DeclaredType>
mkc::onnx::importType(const ImportContext &import, Location loc,
                      std::optional<proto::Message> message) {
  if (!message)
    return DeclaredType{UnknownType::get(import.context), nullptr};
  return TypeImporter(import, loc).importType(*message, 0);
}
