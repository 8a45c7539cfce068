# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes broken models into the folder argv[1]."""
import os
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

out = sys.argv[1]
os.makedirs(out, exist_ok=True)


def write(name, data):
    with open(os.path.join(out, name + ".onnx"), "wb") as file:
        file.write(data)


def tensor(name, dims=(2,), elem=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, elem, dims)


def save(name, nodes, initializers=(), inputs=None, outputs=None, **rest):
    inputs = [tensor("x")] if inputs is None else inputs
    graph = helper.make_graph(nodes, "g", inputs, outputs or [tensor("y")], list(initializers))
    for key, value in rest.pop("graph", {}).items():
        getattr(graph, key).extend(value)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, **rest)
    write(name, model.SerializeToString())


def raw(name, dims, data, elem=TensorProto.FLOAT):
    return TensorProto(name=name, dims=dims, data_type=elem, raw_data=data)


relu = helper.make_node("Relu", ["x"], ["y"], name="relu")
good = helper.make_model(helper.make_graph([relu], "g", [tensor("x")], [tensor("y")])).SerializeToString()

write("empty", b"")
write("text", b"This is not a model, but a text of some length.\n")
write("truncated", good[:-20])
write("no-graph", onnx.ModelProto(ir_version=8).SerializeToString())
write("repeated-graph", good + good)
write("endless-number", b"\x08" + b"\xff" * 11)

save("missing", [helper.make_node("Add", ["x", "ghost"], ["y"], name="add")])
save("out-of-order", [helper.make_node("Neg", ["t"], ["y"], name="neg"), helper.make_node("Relu", ["x"], ["t"], name="relu")])
save("self", [helper.make_node("Add", ["x", "y"], ["y"], name="add")])
save("no-output", [helper.make_node("Relu", ["x"], ["z"], name="relu")])
save("duplicate", [relu, helper.make_node("Neg", ["x"], ["y"], name="neg")])
save("duplicate-input", [relu], inputs=[tensor("x"), tensor("x")])
save("duplicate-initializer", [relu], [raw("w", [1], b"1234"), raw("w", [1], b"1234")])
save("size", [relu], [raw("w", [3, 4], b"x" * 44)])
save("size-typed", [relu], [TensorProto(name="w", dims=[3], data_type=TensorProto.INT32, int32_data=[1, 2])])
save("size-strings", [relu], [TensorProto(name="w", dims=[3], data_type=TensorProto.STRING, string_data=[b"a"])])
save("negative", [relu], [raw("w", [3, -4], b"")])
save("overflow", [relu], [raw("w", [1 << 40, 1 << 40], b"")])
save("overflow-zero", [relu], [raw("w", [1 << 40, 1 << 40, 0], b"")])
save("huge-type", [relu], inputs=[tensor("x", [1 << 40, 1 << 40])])
save("no-type", [relu], [raw("w", [1], b"1234", 0)])
save("unknown-type", [relu], [TensorProto(name="w", dims=[1], data_type=99, int32_data=[1])])
save("wrong-element", [relu], [raw("x", [2], b"x" * 16, TensorProto.INT64)])
save("wrong-shape", [relu], [raw("x", [3], b"x" * 12)])
save("domain", [helper.make_node("Foo", ["x"], ["y"], name="foo", domain="com.example")])
save("no-op-type", [helper.make_node("", ["x"], ["y"], name="nameless")])

node = helper.make_node("Foo", ["x"], ["y"], name="foo", axis=1)
node.attribute.append(helper.make_attribute("axis", 2))
save("duplicate-attribute", [node])
node = helper.make_node("Foo", ["x"], ["y"], name="foo")
node.attribute.append(onnx.AttributeProto(name="axis"))
save("attribute-type", [node])
node = helper.make_node("Foo", ["x"], ["y"], name="foo")
node.attribute.append(onnx.AttributeProto(name="axis", type=onnx.AttributeProto.INT, ref_attr_name="outer"))
save("reference", [node])
node = helper.make_node("Foo", ["x"], ["y"], name="foo")
node.attribute.append(onnx.AttributeProto(name="value", type=onnx.AttributeProto.TENSOR))
save("no-tensor", [node])


def sparse(values, indices, dims):
    return {"graph": {"sparse_initializer": [helper.make_sparse_tensor(
        numpy_helper.from_array(np.array(values, np.float32), "s"),
        numpy_helper.from_array(np.array(indices, np.int64)), dims)]}}


save("sparse-index", [relu], **sparse([1, 2], [1, 12], [3, 4]))
save("sparse-count", [relu], **sparse([1, 2], [1], [3, 4]))


def external(name, **entries):
    t = TensorProto(name="w", dims=[4], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        t.external_data.add(key=key, value=str(value))
    save(name, [relu], [t])


with open(os.path.join(out, "data.bin"), "wb") as file:
    file.write(struct.pack("<8f", *range(8)))
with open(os.path.join(os.path.dirname(os.path.abspath(out)), "outside.bin"), "wb") as file:
    file.write(b"x" * 16)
link = os.path.join(out, "link.bin")
if not os.path.islink(link):
    os.symlink("../outside.bin", link)
external("external-good", location="data.bin", offset=16, length=16)
external("external-no-length", location="./data.bin")
external("external-outside", location="data.bin", offset=20, length=16)
external("external-offset", location="data.bin", offset=1 << 63, length=16)
external("external-length", location="data.bin", offset=0, length=12)
external("external-number", location="data.bin", offset="-1")
external("external-parent", location="../outside.bin")
external("external-absolute", location="/etc/passwd")
external("external-link", location="link.bin")
external("external-missing", location="missing.bin")
external("external-folder", location=".")
external("external-none")


def nested(depth):
    graph = helper.make_graph([], "g", [], [tensor("x")])
    data = graph.SerializeToString()

    def field(number, payload):
        head = number << 3 | 2
        size = len(payload)
        encoded = bytearray([head])
        while size >= 0x80:
            encoded.append(size & 0x7F | 0x80)
            size >>= 7
        encoded.append(size)
        return bytes(encoded) + payload

    for _ in range(depth):
        attribute = field(1, b"g") + field(6, data) + b"\xa0\x01\x05"
        data = field(1, field(4, b"Foo") + field(5, attribute))
    return b"\x08\x08" + field(8, b"\x10\x11") + field(7, field(11, tensor("x").SerializeToString()) + data)


write("deep", nested(1000))
