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
  FailureOr<Attribute> tensor(proto::Message message);
  FailureOr<Attribute> sparseTensor(proto::Message message);
  FailureOr<Attribute> type(proto::Message message);
  FailureOr<Attribute> floats();

  using ElementImporter =
      FailureOr<Attribute> (AttributeImporter::*)(proto::Message);
  FailureOr<Attribute> single(std::optional<proto::Message> message,
                              ElementImporter element);
  FailureOr<Attribute> list(ArrayRef<proto::Message> messages,
                            ElementImporter element);

  const ImportContext &import;
  Location loc;
  const proto::Attribute &attribute;
  Builder builder;
};
} // namespace

FailureOr<Attribute> AttributeImporter::tensor(proto::Message message) {
  proto::Tensor tensor;
  if (failed(import.read(loc, message, tensor)))
    return failure();
  FailureOr<TypedAttr> value = importTensor(import, loc, tensor);
  if (failed(value))
    return failure();
  return Attribute(*value);
}

FailureOr<Attribute> AttributeImporter::sparseTensor(proto::Message message) {
  proto::SparseTensor tensor;
  if (failed(import.read(loc, message, tensor)))
    return failure();
  FailureOr<TypedAttr> value = importSparseTensor(import, loc, tensor);
  if (failed(value))
    return failure();
  return Attribute(*value);
}

FailureOr<Attribute> AttributeImporter::type(proto::Message message) {
  FailureOr<DeclaredType> declared = importType(import, loc, message);
  if (failed(declared))
    return failure();
  return Attribute(TypeAttr::get(declared->type));
}

FailureOr<Attribute> AttributeImporter::floats() {
  SmallVector<float> values;
  for (StringRef piece : attribute.floats) {
    if (piece.size() % sizeof(float) != 0)
      return import.report(loc, {piece.data(), "a list of floats is cut off"});
    size_t start = values.size();
    values.resize(start + piece.size() / sizeof(float));
    std::memcpy(values.data() + start, piece.data(), piece.size());
  }
  return Attribute(builder.getDenseF32ArrayAttr(values));
}

FailureOr<Attribute>
AttributeImporter::single(std::optional<proto::Message> message,
                          ElementImporter element) {
  if (!message)
    return emitError(loc) << "attribute '" << attribute.name
                          << "' has no value of its type";
  return (this->*element)(*message);
}

FailureOr<Attribute> AttributeImporter::list(ArrayRef<proto::Message> messages,
                                             ElementImporter element) {
  SmallVector<Attribute> values;
  for (proto::Message message : messages) {
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
