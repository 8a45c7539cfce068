//===- TensorData.cpp - The bytes of an ONNX tensor -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/TensorData.h"

#include "compiler/onnx/DataTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

#include <bit>

using namespace mlir;
using namespace mkc::onnx;

static_assert(std::endian::native == std::endian::little,
              "ONNX data is little-endian and used as it lies");

/// Packs elements, one in each of `elements`, as a file's raw data has them.
static std::string packElements(ArrayRef<int64_t> elements, unsigned bits) {
  std::string packed(llvm::divideCeil(elements.size() * bits, 8), '\0');
  if (bits >= 8) {
    for (auto [index, element] : llvm::enumerate(elements))
      std::memcpy(&packed[index * (bits / 8)], &element, bits / 8);
    return packed;
  }
  for (auto [index, element] : llvm::enumerate(elements))
    for (unsigned bit = 0; bit < bits; ++bit) {
      size_t position = index * bits + bit;
      packed[position / 8] |= (element >> bit & 1) << position % 8;
    }
  return packed;
}

static TensorData decoded(std::string bytes) {
  TensorData data;
  data.decoded = std::make_unique<std::string>(std::move(bytes));
  data.bytes = *data.decoded;
  return data;
}

static TensorData inModelFile(const ImportContext &import, StringRef bytes) {
  TensorData data;
  data.bytes = bytes;
  data.file = import.fileName.str();
  data.offset = bytes.empty() ? 0 : bytes.data() - import.fileBytes.data();
  return data;
}

/// Elements of a fixed size are in the file as they are if in one piece.
static TensorData fromPieces(const ImportContext &import,
                             const PackedPieces &pieces) {
  if (pieces.size() == 1)
    return inModelFile(import, pieces.front());
  std::string all;
  for (StringRef piece : pieces)
    all += piece;
  return decoded(std::move(all));
}

/// Elements from a varint field. The 32-bit field holds bytes of several
/// elements where elements have 2 or 4 bits, but single elements of 6 bits.
static FailureOr<TensorData> fromVarints(const ImportContext &import,
                                         Location loc,
                                         const PackedPieces &pieces,
                                         unsigned bits) {
  SmallVector<int64_t> elements;
  if (std::optional<WireError> error = readVarints(pieces, elements))
    return import.report(loc, *error);
  return decoded(packElements(elements, bits == 2 || bits == 4 ? 8 : bits));
}

/// Data from the field that belongs to the data type.
static FailureOr<TensorData> fromTypedField(const ImportContext &import,
                                            Location loc,
                                            const proto::Tensor &tensor) {
  unsigned bits = storedBits(tensor.dataType);
  switch (static_cast<DataType>(tensor.dataType)) {
  case DataType::Float:
  case DataType::Complex64:
    return fromPieces(import, tensor.floatData);
  case DataType::Double:
  case DataType::Complex128:
    return fromPieces(import, tensor.doubleData);
  case DataType::Int64:
    return fromVarints(import, loc, tensor.int64Data, bits);
  case DataType::Uint32:
  case DataType::Uint64:
    return fromVarints(import, loc, tensor.uint64Data, bits);
  default:
    break;
  }
  if (bits)
    return fromVarints(import, loc, tensor.int32Data, bits);
  return emitError(loc) << "tensor has data type " << tensor.dataType
                        << ", which is unknown, and no raw data";
}

/// Parses the number of an external data entry.
static FailureOr<uint64_t> parseNumber(Location loc,
                                       const proto::KeyValue &entry) {
  uint64_t number;
  if (entry.value.getAsInteger(10, number))
    return emitError(loc) << "external data has the " << entry.key << " '"
                          << entry.value << "', which is not a number";
  return number;
}

namespace {
/// The entries of `external_data` that matter.
struct ExternalEntries {
  StringRef location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};
} // namespace

static FailureOr<ExternalEntries>
readExternalEntries(const ImportContext &import, Location loc,
                    const proto::Tensor &tensor) {
  ExternalEntries entries;
  for (proto::Message message : tensor.externalData) {
    proto::KeyValue entry;
    if (failed(import.read(loc, message, entry)))
      return failure();
    if (entry.key == "location") {
      entries.location = entry.value;
    } else if (entry.key == "offset" || entry.key == "length") {
      FailureOr<uint64_t> number = parseNumber(loc, entry);
      if (failed(number))
        return failure();
      if (entry.key == "offset")
        entries.offset = *number;
      else
        entries.length = *number;
    }
  }
  return entries;
}

/// `size` is the tensor's size, or nothing if its type has none.
static FailureOr<TensorData> fromExternal(const ImportContext &import,
                                          Location loc,
                                          const proto::Tensor &tensor,
                                          std::optional<uint64_t> size) {
  FailureOr<ExternalEntries> entries = readExternalEntries(import, loc, tensor);
  if (failed(entries))
    return failure();
  if (!import.folder)
    return emitError(loc) << "tensor is in the external file '"
                          << entries->location
                          << "', but the model was given without a folder";
  llvm::Expected<std::string> path =
      resolveExternalData(*import.folder, entries->location);
  if (!path)
    return emitError(loc) << llvm::toString(path.takeError());
  llvm::Expected<StringRef> file = import.store.file(*path);
  if (!file)
    return emitError(loc) << llvm::toString(file.takeError());

  uint64_t offset = entries->offset;
  uint64_t available = file->size() - std::min<uint64_t>(offset, file->size());
  uint64_t length = entries->length.value_or(size.value_or(available));
  if (offset > file->size() || length > available)
    return emitError(loc) << "external data of " << length
                          << " bytes at offset " << offset << " lies outside "
                          << *path << ", which has " << file->size()
                          << " bytes";
  TensorData data;
  data.bytes = file->substr(offset, length);
  data.file = *path;
  data.offset = offset;
  return data;
}

FailureOr<TensorData> mkc::onnx::findTensorData(const ImportContext &import,
                                                Location loc,
                                                const proto::Tensor &tensor,
                                                uint64_t count) {
  std::optional<uint64_t> size;
  if (unsigned bits = storedBits(tensor.dataType))
    size = bits < 8 ? llvm::divideCeil(count * bits, 8) : count * (bits / 8);

  FailureOr<TensorData> data = TensorData();
  if (tensor.isExternal)
    data = fromExternal(import, loc, tensor, size);
  else if (tensor.rawData && (!tensor.rawData->empty() || count == 0))
    data = inModelFile(import, *tensor.rawData);
  else
    data = fromTypedField(import, loc, tensor);
  if (failed(data))
    return failure();

  if (size && data->bytes.size() != *size)
    return emitError(loc) << "tensor of " << count << " elements of type "
                          << elementType(import.context, tensor.dataType)
                          << " needs " << *size << " bytes, but the file has "
                          << data->bytes.size();
  return data;
}

/// One byte for each element of less than a byte.
static std::string unpackElements(StringRef packed, unsigned bits,
                                  size_t count) {
  std::string bytes(count, '\0');
  for (size_t index = 0; index < count; ++index)
    for (unsigned bit = 0; bit < bits; ++bit) {
      size_t position = index * bits + bit;
      bytes[index] |= (packed[position / 8] >> position % 8 & 1) << bit;
    }
  return bytes;
}

DenseElementsAttr mkc::onnx::toDense(const TensorData &data, int64_t dataType,
                                     RankedTensorType type) {
  StringRef bytes = data.bytes;
  if (static_cast<DataType>(dataType) == DataType::Bool) {
    SmallVector<bool> values(
        llvm::map_range(bytes, [](char byte) { return byte != 0; }));
    return DenseElementsAttr::get(type, ArrayRef(values));
  }
  std::string unpacked;
  if (unsigned bits = storedBits(dataType); bits < 8) {
    unpacked = unpackElements(bytes, bits, type.getNumElements());
    bytes = unpacked;
  }
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(bytes.data(), bytes.size()));
}
