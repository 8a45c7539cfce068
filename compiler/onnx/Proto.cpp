//===- Proto.cpp - The messages of an ONNX file -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field numbers are those of onnx-ml.proto, which never reuses one.
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/Proto.h"

using namespace llvm;
using namespace mkc::onnx;
using namespace mkc::onnx::proto;

/// Calls `onField(reader)` for each field of the message.
template <typename OnField>
static std::string forEach(Message m, OnField onField) {
  FieldReader reader(m);
  while (reader.next())
    onField(reader);
  return reader.error();
}

std::string proto::read(Message m, Model &model) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(model.irVersion);
    case 7:
      return r.set(model.graph);
    case 8:
      return model.opsetImports.push_back(r.message());
    case 25:
      return model.functions.push_back(r.message());
    }
  });
}

std::string proto::read(Message m, OpsetId &opset) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(opset.domain);
    case 2:
      return r.set(opset.version);
    }
  });
}

std::string proto::read(Message m, Graph &graph) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return graph.nodes.push_back(r.message());
    case 2:
      return r.set(graph.name);
    case 5:
      return graph.initializers.push_back(r.message());
    case 11:
      return graph.inputs.push_back(r.message());
    case 12:
      return graph.outputs.push_back(r.message());
    case 13:
      return graph.valueInfos.push_back(r.message());
    case 15:
      return graph.sparseInitializers.push_back(r.message());
    }
  });
}

std::string proto::read(Message m, Function &function) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(function.name);
    case 4:
      return function.inputs.push_back(r.bytes());
    case 5:
      return function.outputs.push_back(r.bytes());
    case 6:
      return function.attributes.push_back(r.bytes());
    case 7:
      return function.nodes.push_back(r.message());
    case 9:
      return function.opsetImports.push_back(r.message());
    case 10:
      return r.set(function.domain);
    case 11:
      return function.attributeDefaults.push_back(r.message());
    case 12:
      return function.valueInfos.push_back(r.message());
    case 13:
      return r.set(function.overload);
    }
  });
}

std::string proto::read(Message m, Node &node) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return node.inputs.push_back(r.bytes());
    case 2:
      return node.outputs.push_back(r.bytes());
    case 3:
      return r.set(node.name);
    case 4:
      return r.set(node.opType);
    case 5:
      return node.attributes.push_back(r.message());
    case 7:
      return r.set(node.domain);
    case 8:
      return r.set(node.overload);
    }
  });
}

/// The type of an attribute of a file from before attributes stored one.
static AttributeType inferType(const Attribute &a) {
  if (a.f)
    return AttributeType::Float;
  if (a.i)
    return AttributeType::Int;
  if (a.s)
    return AttributeType::String;
  if (a.tensor)
    return AttributeType::Tensor;
  if (a.graph)
    return AttributeType::Graph;
  if (!a.floats.empty())
    return AttributeType::Floats;
  if (!a.ints.empty())
    return AttributeType::Ints;
  if (!a.strings.empty())
    return AttributeType::Strings;
  if (!a.tensors.empty())
    return AttributeType::Tensors;
  if (!a.graphs.empty())
    return AttributeType::Graphs;
  return AttributeType::Undefined;
}

std::string proto::read(Message m, Attribute &a) {
  int64_t type = 0;
  std::string error = forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(a.name);
    case 2:
      return r.set(a.f);
    case 3:
      return r.set(a.i);
    case 4:
      return r.set(a.s);
    case 5:
      return r.set(a.tensor);
    case 6:
      return r.set(a.graph);
    case 7:
      return a.floats.push_back(r.piece());
    case 8:
      return r.append(a.ints);
    case 9:
      return a.strings.push_back(r.bytes());
    case 10:
      return a.tensors.push_back(r.message());
    case 11:
      return a.graphs.push_back(r.message());
    case 14:
      return r.set(a.typeProto);
    case 15:
      return a.typeProtos.push_back(r.message());
    case 20:
      return r.set(type);
    case 21:
      return r.set(a.refName);
    case 22:
      return r.set(a.sparseTensor);
    case 23:
      return a.sparseTensors.push_back(r.message());
    }
  });
  a.type = type ? static_cast<AttributeType>(type) : inferType(a);
  return error;
}

std::string proto::read(Message m, mkrt::io::TensorProtoView &tensor) {
  return mkrt::io::parseTensorProto(
      {reinterpret_cast<const std::byte *>(m.bytes.data()), m.bytes.size()},
      m.offset, tensor);
}

std::string proto::read(Message m, SparseTensor &t) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(t.values);
    case 2:
      return r.set(t.indices);
    case 3:
      return r.append(t.dims);
    }
  });
}

std::string proto::read(Message m, ValueInfo &info) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(info.name);
    case 2:
      return r.set(info.type);
    }
  });
}

std::string proto::read(Message m, proto::Type &type) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(type.tensor);
    case 4:
      return r.set(type.sequence);
    case 5:
      return r.set(type.map);
    case 7:
      return r.set(type.opaque);
    case 8:
      return r.set(type.sparseTensor);
    case 9:
      return r.set(type.optional);
    }
  });
}

std::string proto::read(Message m, TensorType &type) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(type.elementType);
    case 2:
      return r.set(type.shape);
    }
  });
}

std::string proto::read(Message m, proto::MapType &type) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(type.keyType);
    case 2:
      return r.set(type.value);
    }
  });
}

std::string proto::read(Message m, ElementType &type) {
  return forEach(m, [&](FieldReader &r) {
    if (r.field() == 1)
      r.set(type.element);
  });
}

std::string proto::read(Message m, OpaqueType &type) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(type.domain);
    case 2:
      return r.set(type.name);
    }
  });
}

std::string proto::read(Message m, Shape &shape) {
  return forEach(m, [&](FieldReader &r) {
    if (r.field() == 1)
      shape.dims.push_back(r.message());
  });
}

std::string proto::read(Message m, Dim &dim) {
  return forEach(m, [&](FieldReader &r) {
    switch (r.field()) {
    case 1:
      return r.set(dim.value);
    case 2:
      return r.set(dim.param);
    }
  });
}
