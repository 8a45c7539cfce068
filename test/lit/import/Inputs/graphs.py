# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models made of one graph into the folder argv[1]."""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser

out = sys.argv[1]
os.makedirs(out, exist_ok=True)


def save(name, model):
    with open(os.path.join(out, name + ".onnx"), "wb") as file:
        file.write(model.SerializeToString())


def tensor(name, dims=(2,), elem=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, elem, dims)


def model(nodes, inputs, outputs, initializers=(), value_info=(), opsets=None, **rest):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers), value_info=list(value_info))
    graph.sparse_initializer.extend(rest.pop("sparse", []))
    opsets = opsets or [("", 17)]
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*o) for o in opsets], ir_version=8, **rest)


save("basics", model(
    [
        helper.make_node("Clip", ["x", "", "high"], ["a"], name="/layer/Clip"),
        helper.make_node("TopK", ["a", "k"], ["", "indices"], axis=0),
        helper.make_node("Foo", ["indices"], ["foo"], domain="com.example", name="foo"),
        helper.make_node("Relu", ["x"], ["relu"], name="relu", domain="ai.onnx"),
    ],
    [tensor("x", ["batch", 3, None, "?", -1]), tensor("with_default", [2]), tensor("scalar", []),
     onnx.ValueInfoProto(name="untyped"), tensor("unranked", None)],
    [tensor("foo", ["batch"]), tensor("relu", None), tensor("x", ["batch", 3, None, None, None]),
     tensor("with_default", [2])],
    [numpy_helper.from_array(np.array(6, np.float32), "high"), numpy_helper.from_array(np.array([1], np.int64), "k"),
     numpy_helper.from_array(np.array([1, 2], np.float32), "with_default"),
     numpy_helper.from_array(np.zeros((0, 4), np.float32), "empty")],
    [tensor("a", [4, 3])],
    opsets=[("", 17), ("com.example", 3)],
))


def attributes_model():
    node = helper.make_node("Foo", ["x"], ["y"], name="foo", domain="d")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["r"])], "sub", [], [tensor("r")])
    sparse = helper.make_sparse_tensor(
        numpy_helper.from_array(np.array([1, 2], np.float32)), numpy_helper.from_array(np.array([1, 5])), [2, 3])
    dense = numpy_helper.from_array(np.array([[True], [False]]))
    floats = helper.make_tensor_type_proto(TensorProto.FLOAT, ["n", 2])
    values = {
        "f": 0.5, "i": -7, "s": b"text\x00\xff", "t": dense, "g": graph, "fs": [1.0, 2.0], "is": [1, -2],
        "ss": ["a", "b"], "ts": [dense, dense], "gs": [graph, graph],
    }
    for key, value in values.items():
        node.attribute.append(helper.make_attribute(key, value))
    A = onnx.AttributeProto
    node.attribute.append(A(name="sp", type=A.SPARSE_TENSOR, sparse_tensor=sparse))
    node.attribute.append(A(name="sps", type=A.SPARSE_TENSORS, sparse_tensors=[sparse]))
    node.attribute.append(A(name="tp", type=A.TYPE_PROTO, tp=floats))
    node.attribute.append(A(name="tps", type=A.TYPE_PROTOS, type_protos=[helper.make_sequence_type_proto(floats)]))
    node.attribute.append(A(name="empty", type=A.INTS))
    node.attribute.append(A(name="untyped", i=4))
    return model([node], [tensor("x")], [tensor("y")], opsets=[("", 17), ("d", 1)])


save("attributes", attributes_model())


def types_model():
    floats = helper.make_tensor_type_proto(TensorProto.FLOAT, ["n"])
    infos = []
    for name, elem in TensorProto.DataType.items():
        if elem:
            infos.append(tensor(name, [1], elem))
    infos.append(tensor("FUTURE", [1], 99))
    info = helper.make_value_info
    infos.append(info("seq", helper.make_sequence_type_proto(floats)))
    infos.append(info("opt", helper.make_optional_type_proto(helper.make_sequence_type_proto(floats))))
    infos.append(info("map", helper.make_map_type_proto(TensorProto.STRING, floats)))
    infos.append(info("sparse", helper.make_sparse_tensor_type_proto(TensorProto.DOUBLE, [2, 2])))
    opaque = onnx.TypeProto()
    opaque.opaque_type.domain, opaque.opaque_type.name = "d", "thing"
    infos.append(info("opaque", opaque))
    return model([], infos, [])


save("types", types_model())


def data_model():
    """Every element type in raw_data and in its typed field."""
    values = {
        "FLOAT": [1, -2, 3], "DOUBLE": [1, -2, 3], "INT8": [1, -2, 3], "INT16": [1, -2, 3], "INT32": [1, -2, 3],
        "INT64": [1, -2, 3], "UINT8": [1, 255, 3], "UINT16": [1, 65535, 3], "UINT32": [1, 4294967295, 3],
        "UINT64": [1, 18446744073709551615, 3], "BOOL": [1, 0, 1], "FLOAT16": [1, -2, 3], "BFLOAT16": [1, -2, 3],
        "COMPLEX64": [1 + 2j, -2, 3j], "COMPLEX128": [1 + 2j, -2, 3j], "FLOAT8E4M3FN": [1, -2, 3],
        "FLOAT8E4M3FNUZ": [1, -2, 3], "FLOAT8E5M2": [1, -2, 3], "FLOAT8E5M2FNUZ": [1, -2, 3],
        "FLOAT8E8M0": [1, 2, 4], "UINT4": [1, 15, 3], "INT4": [1, -2, 3], "UINT2": [1, 2, 3], "INT2": [1, -2, -1],
        "FLOAT4E2M1": [1, -2, 3], "FLOAT6E2M3": [1, -2, 3], "FLOAT6E3M2": [1, -2, 3],
    }
    tensors = []
    for name, data in values.items():
        elem = TensorProto.DataType.Value(name)
        typed = helper.make_tensor(name + ".typed", elem, [3], data)
        raw = numpy_helper.from_array(numpy_helper.to_array(typed), name + ".raw")
        assert raw.data_type == elem and raw.HasField("raw_data")
        tensors += [typed, raw]
    tensors.append(TensorProto(name="STRING", data_type=TensorProto.STRING, dims=[2, 1], string_data=[b"a\x00", b"\xff\"b"]))
    tensors.append(TensorProto(name="STRING.empty", data_type=TensorProto.STRING, dims=[0]))
    tensors.append(TensorProto(name="STRING.scalar", data_type=TensorProto.STRING, string_data=[b""]))
    tensors.append(TensorProto(name="FUTURE.raw", data_type=99, dims=[2], raw_data=b"abc"))
    return model([], [], [], tensors)


save("data", data_model())


def sparse_model():
    def sparse(name, dims, values, indices):
        return helper.make_sparse_tensor(
            numpy_helper.from_array(np.array(values, np.float32), name),
            numpy_helper.from_array(np.array(indices, np.int64)), dims)

    return model([], [], [], sparse=[
        sparse("linear", [3, 4], [1, 2], [1, 11]), sparse("coordinates", [3, 4], [1, 2], [[0, 1], [2, 3]]),
        sparse("huge", [1 << 20, 1 << 20], [5], [7])])


save("sparse", sparse_model())


def weights_model():
    def typed(name, elem, field, values):
        t = TensorProto(name=name, data_type=elem, dims=[len(values)])
        getattr(t, field).extend(values)
        return t

    return model(
        [helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.ones((200, 100), np.float32)))],
        [], [tensor("c", [200, 100])],
        [numpy_helper.from_array(np.ones(16384, np.float32), "small"),
         numpy_helper.from_array(np.arange(16385, dtype=np.float32), "raw"),
         typed("float_data", TensorProto.FLOAT, "float_data", [0.5] * 20000),
         typed("double_data", TensorProto.DOUBLE, "double_data", [0.5] * 10000),
         typed("int64_data", TensorProto.INT64, "int64_data", [-1] * 10000)])


save("weights", weights_model())


save("subgraphs", parser.parse_model("""
<ir_version: 8, opset_import: ["" : 17]>
g (bool c, float[2] x) => (y, z)
<float[2] w = {1, 2}>
{
  y = If (c) <
    then_branch = t () => (float[2] a) <float[2] x2 = {3, 4}> { b = Add(x, x2) a = Mul(b, w) },
    else_branch = e () => (float[2] a) { a = If (c) <
        then_branch = t2 () => (float[2] d) { d = Neg(w) },
        else_branch = e2 () => (float[2] d) { d = Identity(x) }> }
  >
  n = Constant <value_int = 3> ()
  z = Loop (n, , x) <
    body = b (int64 i, bool go, float[2] s) => (bool go2, float[2] s2) {
      go2 = Identity(go)
      s2 = Add(s, w) }>
}
"""))
