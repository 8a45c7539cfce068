//===- Proto.h - The messages of an ONNX file ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shallow views of the messages of onnx.proto: strings and submessages are
// ranges of the mapped file, decoded when they are needed. So an import holds
// one node at a time, and no reader recurses. Documentation strings, metadata,
// training information and device placement are not read.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/onnx/FieldReader.h"
#include "runtime/io/TensorProto.h"

#include <vector>

namespace mkc::onnx::proto {

struct Model {
  int64_t irVersion = 0;
  std::optional<Message> graph;
  std::vector<Message> opsetImports;
  std::vector<Message> functions;
};

struct OpsetId {
  llvm::StringRef domain;
  int64_t version = 0;
};

struct Graph {
  llvm::StringRef name;
  std::vector<Message> nodes, initializers, sparseInitializers;
  std::vector<Message> inputs, outputs, valueInfos;
};

struct Function {
  llvm::StringRef name, domain, overload;
  std::vector<llvm::StringRef> inputs, outputs, attributes;
  std::vector<Message> attributeDefaults, nodes, opsetImports, valueInfos;
};

struct Node {
  llvm::StringRef name, opType, domain, overload;
  llvm::SmallVector<llvm::StringRef, 4> inputs, outputs;
  llvm::SmallVector<Message, 4> attributes;
};

enum class AttributeType : int64_t {
  Undefined = 0,
  Float = 1,
  Int = 2,
  String = 3,
  Tensor = 4,
  Graph = 5,
  Floats = 6,
  Ints = 7,
  Strings = 8,
  Tensors = 9,
  Graphs = 10,
  SparseTensor = 11,
  SparseTensors = 12,
  Type = 13,
  Types = 14
};

struct Attribute {
  llvm::StringRef name, refName;
  /// The stored type; where an old file has none, that of the filled field.
  AttributeType type = AttributeType::Undefined;
  std::optional<float> f;
  std::optional<int64_t> i;
  std::optional<llvm::StringRef> s;
  std::optional<Message> tensor, graph, sparseTensor, typeProto;
  PackedPieces floats;
  llvm::SmallVector<int64_t, 4> ints;
  std::vector<llvm::StringRef> strings;
  std::vector<Message> tensors, graphs, sparseTensors, typeProtos;
};

struct SparseTensor {
  std::optional<Message> values, indices;
  llvm::SmallVector<int64_t, 4> dims;
};

struct ValueInfo {
  llvm::StringRef name;
  std::optional<Message> type;
};

/// The kind of a TypeProto is the submessage that it holds.
struct Type {
  std::optional<Message> tensor, sequence, map, optional, sparseTensor, opaque;
};

/// Tensor and sparse tensor types. Types of sequences and optionals hold only
/// a message at `elem_type`, map types a key and a message.
struct TensorType {
  int64_t elementType = 0;
  std::optional<Message> shape;
};

struct MapType {
  int64_t keyType = 0;
  std::optional<Message> value;
};

struct ElementType {
  std::optional<Message> element;
};

struct OpaqueType {
  llvm::StringRef domain, name;
};

struct Dim {
  std::optional<int64_t> value;
  std::optional<llvm::StringRef> param;
};

struct Shape {
  std::vector<Message> dims;
};

/// Each reads one message's fields into an empty struct and returns an error
/// text, or an empty string.
std::string read(Message, Model &);
std::string read(Message, OpsetId &);
std::string read(Message, Graph &);
std::string read(Message, Function &);
std::string read(Message, Node &);
std::string read(Message, Attribute &);
std::string read(Message, mkrt::io::TensorProtoView &);
std::string read(Message, SparseTensor &);
std::string read(Message, ValueInfo &);
std::string read(Message, Type &);
std::string read(Message, TensorType &);
std::string read(Message, MapType &);
std::string read(Message, ElementType &);
std::string read(Message, OpaqueType &);
std::string read(Message, Shape &);
std::string read(Message, Dim &);

} // namespace mkc::onnx::proto
