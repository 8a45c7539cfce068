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
using mkrt::io::TensorProtoView;
namespace types = mkrt::format::types;

static_assert(std::endian::native == std::endian::little,
              "ONNX data is little-endian and used as it lies");

/// Bytes of the model's file.
static TensorData inModelFile(const ImportContext &import,
                              const mkrt::io::ProtoField &field) {
  TensorData data;
  data.bytes = field.text();
  data.file = import.fileName.str();
  data.offset = field.offset;
  return data;
}

/// Packs codes of 6 bits, one in each number, as raw data has them.
static FailureOr<TensorData> packCodes(Location loc,
                                       const TensorProtoView &tensor,
                                       uint64_t count, unsigned bits) {
  SmallVector<uint64_t> codes;
  std::string error;
  for (const mkrt::io::ProtoField &piece : tensor.typed)
    if (!mkrt::io::forEachVarint(
            piece, [&](uint64_t code) { codes.push_back(code); }, error))
      return emitError(loc) << error;
  if (codes.size() != count)
    return emitError(loc) << "tensor of " << count << " elements has data of "
                          << codes.size();
  TensorData data;
  auto size = int64_t(llvm::divideCeil(count * bits, 8));
  error = mkrt::io::Tensor::allocate(types::UInt8, {size}, data.decoded);
  if (!error.empty())
    return emitError(loc) << error;
  auto packed = data.decoded.bytes();
  for (size_t bit = 0; bit < count * bits; ++bit)
    packed[bit / 8] |= std::byte(codes[bit / bits] >> bit % bits & 1)
                       << bit % 8;
  return data;
}

/// True if the elements of the typed field are in the file as they are: in one
/// piece and of fixed size.
static bool isPlain(const TensorProtoView &tensor) {
  bool isFixed = llvm::is_contained(
      {types::Float, types::Double, types::Complex64, types::Complex128},
      tensor.type);
  return isFixed && tensor.typed.size() == 1 &&
         tensor.typed[0].type == mkrt::io::WireType::Bytes;
}

/// Data from the field that belongs to the data type.
static FailureOr<TensorData> fromTypedField(const ImportContext &import,
                                            Location loc,
                                            const TensorProtoView &tensor,
                                            uint64_t count) {
  unsigned bits = storedBits(tensor.type);
  if (bits == 0)
    return emitError(loc) << "tensor has data type " << tensor.type
                          << ", which is unknown, and no raw data";
  if (isPlain(tensor))
    return inModelFile(import, tensor.typed[0]);
  FailureOr<TensorData> data = TensorData();
  if (bits == 6) {
    data = packCodes(loc, tensor, count, bits);
    if (failed(data))
      return failure();
  } else if (std::string error = mkrt::io::tensorOf(tensor, data->decoded);
             !error.empty()) {
    return emitError(loc) << error;
  }
  auto bytes = data->decoded.bytes();
  data->bytes = {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  return data;
}

/// Parses the number of an external data entry.
static FailureOr<uint64_t> parseNumber(Location loc, StringRef key,
                                       StringRef value) {
  uint64_t number;
  if (value.getAsInteger(10, number))
    return emitError(loc) << "external data has the " << key << " '" << value
                          << "', which is not a number";
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
readExternalEntries(Location loc, const TensorProtoView &tensor) {
  ExternalEntries entries;
  for (auto [key, value] : tensor.external) {
    if (key == "location")
      entries.location = value;
    if (key != "offset" && key != "length")
      continue;
    FailureOr<uint64_t> number = parseNumber(loc, key, value);
    if (failed(number))
      return failure();
    if (key == "offset")
      entries.offset = *number;
    else
      entries.length = *number;
  }
  return entries;
}

/// `size` is the tensor's size, or nothing if its type has none.
static FailureOr<TensorData> fromExternal(const ImportContext &import,
                                          Location loc,
                                          const TensorProtoView &tensor,
                                          std::optional<uint64_t> size) {
  FailureOr<ExternalEntries> entries = readExternalEntries(loc, tensor);
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
                                                const TensorProtoView &tensor,
                                                uint64_t count) {
  std::optional<uint64_t> size;
  if (unsigned bits = storedBits(tensor.type))
    size = bits < 8 ? llvm::divideCeil(count * bits, 8) : count * (bits / 8);

  FailureOr<TensorData> data = TensorData();
  if (tensor.isExternal)
    data = fromExternal(import, loc, tensor, size);
  else if (tensor.hasRaw && (!tensor.raw.bytes.empty() || count == 0))
    data = inModelFile(import, tensor.raw);
  else
    data = fromTypedField(import, loc, tensor, count);
  if (failed(data))
    return failure();

  if (size && data->bytes.size() != *size)
    return emitError(loc) << "tensor of " << count << " elements of type "
                          << elementType(import.context, tensor.type)
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

DenseElementsAttr mkc::onnx::toDense(const TensorData &data,
                                     mkrt::format::DataType dataType,
                                     RankedTensorType type) {
  StringRef bytes = data.bytes;
  if (dataType == types::Bool) {
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
