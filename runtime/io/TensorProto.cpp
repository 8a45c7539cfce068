//===- TensorProto.cpp - ONNX tensors in protobuf -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/TensorProto.h"

#include "runtime/io/Elements.h"
#include "runtime/io/Files.h"

#include <bit>
#include <cstring>

using namespace mkrt;
using namespace mkrt::io;

namespace {
/// Field numbers of TensorProto.
enum TensorField : uint32_t {
  Dims = 1,
  Type = 2,
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  Name = 8,
  RawData = 9,
  DoubleData = 10,
  UInt64Data = 11,
  ExternalData = 13,
  DataLocation = 14,
};
} // namespace

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// An entry of external_data: key = 1, value = 2.
static std::string parseExternal(const ProtoField &entry,
                                 TensorProtoView &out) {
  ProtoReader reader(entry);
  ProtoField field;
  std::string_view key, value;
  while (reader.next(field)) {
    if (field.number == 1)
      key = field.text();
    else if (field.number == 2)
      value = field.text();
  }
  out.external.emplace_back(key, value);
  return reader.error();
}

static std::string parseField(const ProtoField &field, TensorProtoView &out) {
  bool isBytes = field.type == WireType::Bytes;
  switch (field.number) {
  case Dims: {
    std::string error;
    forEachVarint(
        field, [&](uint64_t dim) { out.shape.push_back(int64_t(dim)); }, error);
    return error;
  }
  case Type:
    // An int32 in the schema; more bits must not turn into a known type.
    if (field.value > INT32_MAX)
      return "the tensor's data type is " + std::to_string(field.value) +
             ", which is none";
    out.type = DataType(field.value);
    return {};
  case FloatData:
  case Int32Data:
  case Int64Data:
  case DoubleData:
  case UInt64Data:
    out.typed.push_back(field);
    return {};
  case StringData:
    out.strings.push_back(field.text());
    return {};
  case Name:
    out.name = field.text();
    return {};
  case RawData:
    if (!isBytes)
      return "the tensor's raw_data is not bytes";
    out.hasRaw = true;
    out.raw = field;
    return {};
  case ExternalData:
    return parseExternal(field, out);
  case DataLocation:
    out.isExternal = field.value == 1;
    return {};
  default:
    return {};
  }
}

std::string mkrt::io::parseTensorProto(std::span<const std::byte> message,
                                       uint64_t offset, TensorProtoView &out) {
  out = {};
  ProtoReader reader(message, offset);
  ProtoField field;
  while (reader.next(field))
    if (std::string error = parseField(field, out); !error.empty())
      return error;
  return reader.error();
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The field that holds a type's numbers when there is no raw_data.
static uint32_t dataField(DataType type) {
  switch (type) {
  case types::Float:
  case types::Complex64:
    return FloatData;
  case types::Double:
  case types::Complex128:
    return DoubleData;
  case types::Int64:
    return Int64Data;
  case types::UInt32:
  case types::UInt64:
    return UInt64Data;
  default:
    return Int32Data;
  }
}

namespace {
/// Stores the numbers of the typed fields one after another. Types of less than
/// a byte have several elements in each int32, as they lie packed in memory;
/// 16-bit floats come as their bits.
class TypedFiller {
public:
  TypedFiller(Tensor &tensor) : tensor_(tensor) {}
  std::string fill(const ProtoField &field);
  uint64_t bytesDone() const { return at_; }

private:
  void put(uint64_t value);

  Tensor &tensor_;
  uint64_t at_ = 0; ///< Byte; keeps counting when the tensor is full.
};
} // namespace

static unsigned numberBytes(DataType type) {
  switch (elementClass(type)) {
  case ElementClass::Complex:
    return format::elementBits(type) / 16;
  default:
    return std::max(format::elementBits(type) / 8, 1u);
  }
}

void TypedFiller::put(uint64_t value) {
  unsigned width = numberBytes(tensor_.type());
  if (at_ + width <= tensor_.bytes().size())
    std::memcpy(tensor_.bytes().data() + at_, &value, width);
  at_ += width;
}

std::string TypedFiller::fill(const ProtoField &field) {
  if (field.number != dataField(tensor_.type()))
    return "field " + std::to_string(field.number) +
           " does not hold the numbers of a " +
           std::string(format::typeName(tensor_.type())) + " tensor";
  std::string error;
  if (field.number != FloatData && field.number != DoubleData) {
    forEachVarint(field, [&](uint64_t value) { put(value); }, error);
    return error;
  }
  bool isFloat = field.number == FloatData;
  if (field.type == (isFloat ? WireType::Fixed32 : WireType::Fixed64)) {
    put(field.value);
    return {};
  }
  if (field.type != WireType::Bytes)
    return "field " + std::to_string(field.number) + " has a wrong wire type";
  ProtoReader packed(field);
  uint32_t bits32 = 0;
  uint64_t bits64 = 0;
  while (!packed.atEnd() &&
         (isFloat ? packed.fixed32(bits32) : packed.fixed64(bits64)))
    put(isFloat ? bits32 : bits64);
  return packed.error();
}

static std::string amountError(const TensorProtoView &proto, uint64_t have,
                               uint64_t want) {
  return "a " + std::string(format::typeName(proto.type)) +
         " tensor of shape " + shapeText(proto.shape) + " needs " +
         std::to_string(want) + " bytes, the file has " + std::to_string(have);
}

/// Bytes that the data fields can hold at most: checked before memory is asked
/// for.
static uint64_t bytesPresent(const TensorProtoView &proto) {
  if (proto.hasRaw)
    return proto.raw.bytes.size();
  uint64_t bytes = 0;
  for (const ProtoField &field : proto.typed)
    bytes += 8 * std::max<uint64_t>(field.bytes.size(), 1);
  return bytes;
}

std::string mkrt::io::tensorOf(const TensorProtoView &proto, Tensor &out) {
  if (proto.isExternal)
    return "the tensor's data lies in another file";
  if (proto.type == types::String)
    return "string tensors are not supported";
  std::optional<uint64_t> bytes = format::tensorBytes(proto.type, proto.shape);
  if (bytes && *bytes > bytesPresent(proto))
    return amountError(proto, proto.hasRaw ? proto.raw.bytes.size() : 0,
                       *bytes);
  Tensor tensor;
  if (std::string error = Tensor::allocate(proto.type, proto.shape, tensor);
      !error.empty())
    return error;
  if (proto.hasRaw) {
    if (proto.raw.bytes.size() != *bytes)
      return amountError(proto, proto.raw.bytes.size(), *bytes);
    if (*bytes)
      std::memcpy(tensor.bytes().data(), proto.raw.bytes.data(), *bytes);
  } else {
    TypedFiller filler(tensor);
    for (const ProtoField &field : proto.typed)
      if (std::string error = filler.fill(field); !error.empty())
        return error;
    if (filler.bytesDone() != *bytes)
      return amountError(proto, filler.bytesDone(), *bytes);
  }
  out = std::move(tensor);
  return {};
}

std::string mkrt::io::readTensorProto(const std::string &path, Tensor &out,
                                      std::string *name) {
  std::vector<std::byte> bytes;
  if (std::string error = readFile(path, bytes); !error.empty())
    return error;
  TensorProtoView proto;
  std::string error = parseTensorProto(bytes, 0, proto);
  if (error.empty())
    error = tensorOf(proto, out);
  if (!error.empty())
    return path + ": " + error;
  if (name)
    *name = proto.name;
  return {};
}
