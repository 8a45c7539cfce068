//===- Npy.cpp - Arrays as numpy saves them -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Npy.h"

#include "runtime/io/Elements.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

using namespace mkrt;
using namespace mkrt::io;

static constexpr std::string_view kMagic = "\x93NUMPY";

namespace {
struct TypeCode {
  std::string_view code; ///< Kind and size in bytes.
  DataType type;
};

/// What the header's dictionary says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the header: a Python dictionary with the keys 'descr' (a string),
/// 'fortran_order' (a bool) and 'shape' (a tuple of integers), in any order.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text_(text) {}
  bool parse(Header &header);

private:
  void skipSpace();
  bool take(char c);
  bool takeString(std::string &out);
  bool takeWord(std::string_view word);
  bool takeShape(std::vector<int64_t> &out);
  bool takeEntry(Header &header);

  std::string_view text_;
  unsigned found_ = 0; ///< A bit for each key.
};
} // namespace

static constexpr TypeCode kCodes[] = {
    {"b1", types::Bool},      {"i1", types::Int8},       {"u1", types::UInt8},
    {"i2", types::Int16},     {"u2", types::UInt16},     {"i4", types::Int32},
    {"u4", types::UInt32},    {"i8", types::Int64},      {"u8", types::UInt64},
    {"f2", types::Float16},   {"f4", types::Float},      {"f8", types::Double},
    {"c8", types::Complex64}, {"c16", types::Complex128}};

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

void HeaderParser::skipSpace() {
  size_t n = text_.find_first_not_of(" \t\n");
  text_.remove_prefix(std::min(n, text_.size()));
}

bool HeaderParser::take(char c) {
  skipSpace();
  if (!text_.starts_with(c))
    return false;
  text_.remove_prefix(1);
  return true;
}

bool HeaderParser::takeWord(std::string_view word) {
  skipSpace();
  if (!text_.starts_with(word))
    return false;
  text_.remove_prefix(word.size());
  return true;
}

bool HeaderParser::takeString(std::string &out) {
  skipSpace();
  if (text_.empty() || (text_[0] != '\'' && text_[0] != '"'))
    return false;
  size_t end = text_.find(text_[0], 1);
  if (end == text_.npos)
    return false;
  out = text_.substr(1, end - 1);
  text_.remove_prefix(end + 1);
  return true;
}

bool HeaderParser::takeShape(std::vector<int64_t> &out) {
  if (!take('('))
    return false;
  while (!take(')')) {
    skipSpace();
    int64_t dim;
    auto [end, error] =
        std::from_chars(text_.data(), text_.data() + text_.size(), dim);
    if (error != std::errc() || dim < 0)
      return false;
    text_.remove_prefix(size_t(end - text_.data()));
    take('L'); // Python 2 wrote long integers so.
    out.push_back(dim);
    if (!take(',')) {
      // Only the last number has no comma behind it.
      return take(')');
    }
  }
  return true;
}

bool HeaderParser::takeEntry(Header &header) {
  std::string key;
  if (!takeString(key) || !take(':'))
    return false;
  if (key == "descr") {
    found_ |= 1;
    return takeString(header.descr);
  }
  if (key == "fortran_order") {
    found_ |= 2;
    header.fortranOrder = takeWord("True");
    return header.fortranOrder || takeWord("False");
  }
  found_ |= 4;
  return key == "shape" && takeShape(header.shape);
}

bool HeaderParser::parse(Header &header) {
  if (!take('{'))
    return false;
  while (!take('}')) {
    if (!takeEntry(header))
      return false;
    if (!take(','))
      return take('}') && found_ == 7;
  }
  return found_ == 7;
}

/// The type that a descr such as "<f4" names.
static std::string typeOf(const std::string &descr, DataType &type) {
  if (descr.size() < 3)
    return "unknown type '" + descr + "'";
  std::string_view code = std::string_view(descr).substr(1);
  if (descr[0] == '>' && code.back() != '1')
    return "type '" + descr + "' is big-endian, only little-endian is read";
  for (const TypeCode &known : kCodes)
    if (known.code == code && std::strchr("<|=>", descr[0])) {
      type = known.type;
      return {};
    }
  return "type '" + descr + "' is not supported";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Copies Fortran-ordered elements to row-major order: walks the destination
/// with an odometer of the shape.
static void transpose(const std::byte *source, Tensor &out) {
  std::span<const int64_t> shape = out.shape();
  size_t rank = shape.size(), width = format::elementBits(out.type()) / 8;
  std::vector<uint64_t> stride(rank), index(rank);
  uint64_t step = 1;
  for (size_t k = 0; k < rank; ++k) {
    stride[k] = step;
    step *= uint64_t(shape[k]);
  }
  uint64_t at = 0;
  for (uint64_t i = 0; i < out.elementCount(); ++i) {
    std::memcpy(out.bytes().data() + i * width, source + at * width, width);
    for (size_t k = rank; k-- > 0;) {
      at += stride[k];
      if (++index[k] < uint64_t(shape[k]))
        break;
      at -= stride[k] * index[k];
      index[k] = 0;
    }
  }
}

std::string mkrt::io::readNpy(std::span<const std::byte> bytes, Tensor &out) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (!text.starts_with(kMagic) || text.size() < 10)
    return "not a .npy file (the first bytes are not its signature)";
  unsigned version = uint8_t(text[6]);
  if (version < 1 || version > 3)
    return ".npy version " + std::to_string(version) + ", only 1 to 3 are read";
  size_t lengthBytes = version == 1 ? 2 : 4, start = 8 + lengthBytes;
  if (text.size() < start)
    return "the .npy file ends inside its header";
  uint64_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= uint64_t(uint8_t(text[8 + i])) << (8 * i);
  if (length > text.size() - start)
    return "the .npy file ends inside its header";

  Header header;
  if (!HeaderParser(text.substr(start, length)).parse(header))
    return "the .npy header is malformed";
  DataType type;
  if (std::string error = typeOf(header.descr, type); !error.empty())
    return error;
  std::span<const std::byte> data = bytes.subspan(start + length);
  // Before allocating: a wrong shape must not ask for memory.
  std::optional<uint64_t> expected = format::tensorBytes(type, header.shape);
  if (!expected || *expected != data.size())
    return "a .npy array of shape " + shapeText(header.shape) + " needs " +
           (expected ? std::to_string(*expected) : "too many") +
           " bytes, the file has " + std::to_string(data.size());
  Tensor tensor;
  if (std::string error =
          Tensor::allocate(type, std::move(header.shape), tensor);
      !error.empty())
    return error;
  if (header.fortranOrder && tensor.shape().size() > 1)
    transpose(data.data(), tensor);
  else if (!data.empty())
    std::memcpy(tensor.bytes().data(), data.data(), data.size());
  out = std::move(tensor);
  return {};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The numpy type that holds the bits of `type`.
static DataType numpyType(DataType type) {
  for (const TypeCode &known : kCodes)
    if (known.type == type)
      return type;
  if (type == types::Int4 || type == types::Int2)
    return types::Int8;
  return type == types::BFloat16 ? types::UInt16 : types::UInt8;
}

static std::string_view codeOf(DataType type) {
  return std::find_if(std::begin(kCodes), std::end(kCodes),
                      [&](const TypeCode &code) { return code.type == type; })
      ->code;
}

std::vector<std::byte> mkrt::io::writeNpy(const Tensor &tensor) {
  DataType type = numpyType(tensor.type());
  unsigned width = format::elementBits(type) / 8;
  std::string header = "{'descr': '";
  header += width == 1 ? '|' : '<';
  header += codeOf(type);
  header += "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : tensor.shape())
    header += std::to_string(dim) + ",";
  header += "), }";
  // The data starts at a multiple of 64; ranks are small, so version 1 suffices
  // unless the shape is absurdly long.
  bool isLong = header.size() > 65000;
  size_t prefix = isLong ? 12 : 10;
  header.resize((prefix + header.size() + 1 + 63) / 64 * 64 - prefix - 1, ' ');
  header += '\n';
  std::string text(kMagic);
  text += isLong ? '\2' : '\1';
  text += '\0';
  for (size_t i = 0; i < prefix - 8; ++i)
    text += char(header.size() >> (8 * i));
  text += header;

  auto head = std::as_bytes(std::span(text));
  std::vector<std::byte> out(head.begin(), head.end());
  if (format::elementBits(tensor.type()) >= 8) {
    out.insert(out.end(), tensor.bytes().begin(), tensor.bytes().end());
    return out;
  }
  for (uint64_t i = 0; i < tensor.elementCount(); ++i)
    out.push_back(std::byte(integerAt(tensor, i)));
  return out;
}

std::string mkrt::io::restoreType(Tensor &tensor, DataType type) {
  if (tensor.type() == type)
    return {};
  if (tensor.type() != numpyType(type))
    return "has type " + std::string(format::typeName(tensor.type())) +
           ", expected " + std::string(format::typeName(type));
  if (format::elementBits(type) >= 8)
    return tensor.reinterpretAs(type);
  Tensor packed;
  std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
  if (std::string error = Tensor::allocate(type, std::move(shape), packed);
      !error.empty())
    return error;
  for (uint64_t i = 0; i < tensor.elementCount(); ++i)
    setInteger(packed, i, integerAt(tensor, i));
  tensor = std::move(packed);
  return {};
}
