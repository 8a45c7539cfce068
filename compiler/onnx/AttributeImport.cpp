//===- AttributeImport.cpp - ONNX node attributes -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/AttributeImport.h"

#include "compiler/onnx/TensorImport.h"
#include "compiler/onnx/TypeImport.h"

#include "mlir/IR/Builders.h"

#include <bit>
#include <cstring>

using namespace mlir;
using namespace mkc::onnx;
using proto::AttributeType;

namespace {
/// Imports the value of one attribute.
class AttributeImporter {
public:
  AttributeImporter(const ImportContext &import, Location loc,
                    const proto::Attribute &attribute)
      : import(import), loc(loc), attribute(attribute),
        builder(import.context) {}

  FailureOr<Attribute> importValue();

private:
  FailureOr<Attribute> tensor(Message message);
  FailureOr<Attribute> sparseTensor(Message message);
  FailureOr<Attribute> type(Message message);
  FailureOr<Attribute> floats();

  using ElementImporter = FailureOr<Attribute> (AttributeImporter::*)(Message);
  FailureOr<Attribute> single(std::optional<Message> message,
                              ElementImporter element);
  FailureOr<Attribute> list(ArrayRef<Message> messages,
                            ElementImporter element);

  const ImportContext &import;
  Location loc;
  const proto::Attribute &attribute;
  Builder builder;
};
} // namespace

FailureOr<Attribute> AttributeImporter::tensor(Message message) {
  mkrt::io::TensorProtoView tensor;
  if (failed(import.read(loc, message, tensor)))
    return failure();
  FailureOr<TypedAttr> value = importTensor(import, loc, tensor);
  if (failed(value))
    return failure();
  return Attribute(*value);
}

FailureOr<Attribute> AttributeImporter::sparseTensor(Message message) {
  proto::SparseTensor tensor;
  if (failed(import.read(loc, message, tensor)))
    return failure();
  FailureOr<TypedAttr> value = importSparseTensor(import, loc, tensor);
  if (failed(value))
    return failure();
  return Attribute(*value);
}

FailureOr<Attribute> AttributeImporter::type(Message message) {
  FailureOr<DeclaredType> declared = importType(import, loc, message);
  if (failed(declared))
    return failure();
  return Attribute(TypeAttr::get(declared->type));
}

FailureOr<Attribute> AttributeImporter::floats() {
  SmallVector<float> values;
  for (const mkrt::io::ProtoField &piece : attribute.floats) {
    if (piece.type == mkrt::io::WireType::Fixed32) {
      values.push_back(std::bit_cast<float>(uint32_t(piece.value)));
      continue;
    }
    size_t start = values.size(), size = piece.bytes.size();
    if (size % sizeof(float) != 0)
      return emitError(loc) << "attribute '" << attribute.name << "' has "
                            << size << " bytes of floats, not a multiple of 4";
    values.resize(start + size / sizeof(float));
    std::memcpy(values.data() + start, piece.bytes.data(), size);
  }
  return Attribute(builder.getDenseF32ArrayAttr(values));
}

FailureOr<Attribute> AttributeImporter::single(std::optional<Message> message,
                                               ElementImporter element) {
  if (!message)
    return emitError(loc) << "attribute '" << attribute.name
                          << "' has no value of its type";
  return (this->*element)(*message);
}

FailureOr<Attribute> AttributeImporter::list(ArrayRef<Message> messages,
                                             ElementImporter element) {
  SmallVector<Attribute> values;
  for (Message message : messages) {
    FailureOr<Attribute> value = (this->*element)(message);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return Attribute(builder.getArrayAttr(values));
}

FailureOr<Attribute> AttributeImporter::importValue() {
  switch (attribute.type) {
  case AttributeType::Float:
    return Attribute(builder.getF32FloatAttr(attribute.f.value_or(0)));
  case AttributeType::Int:
    return Attribute(builder.getI64IntegerAttr(attribute.i.value_or(0)));
  case AttributeType::String:
    return Attribute(builder.getStringAttr(attribute.s.value_or("")));
  case AttributeType::Tensor:
    return single(attribute.tensor, &AttributeImporter::tensor);
  case AttributeType::SparseTensor:
    return single(attribute.sparseTensor, &AttributeImporter::sparseTensor);
  case AttributeType::Type:
    return single(attribute.typeProto, &AttributeImporter::type);
  case AttributeType::Floats:
    return floats();
  case AttributeType::Ints:
    return Attribute(builder.getDenseI64ArrayAttr(attribute.ints));
  case AttributeType::Strings:
    return Attribute(builder.getStrArrayAttr(ArrayRef(attribute.strings)));
  case AttributeType::Tensors:
    return list(attribute.tensors, &AttributeImporter::tensor);
  case AttributeType::SparseTensors:
    return list(attribute.sparseTensors, &AttributeImporter::sparseTensor);
  case AttributeType::Types:
    return list(attribute.typeProtos, &AttributeImporter::type);
  case AttributeType::Undefined:
  case AttributeType::Graph:
  case AttributeType::Graphs:
    break;
  }
  return emitError(loc) << "attribute '" << attribute.name
                        << "' has the unknown type " << int64_t(attribute.type);
}

FailureOr<Attribute>
mkc::onnx::importAttribute(const ImportContext &import, Location loc,
                           const proto::Attribute &attribute) {
  return AttributeImporter(import, loc, attribute).importValue();
}
