# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models with functions of their own into the folder argv[1]."""
import os
import sys

import onnx
from onnx import TensorProto, helper, parser

out = sys.argv[1]
os.makedirs(out, exist_ok=True)


def save(name, model):
    with open(os.path.join(out, name + ".onnx"), "wb") as file:
        file.write(model.SerializeToString())


save("functions", parser.parse_model("""
<ir_version: 10, opset_import: ["" : 17, "my" : 1]>
g (float[2] x) => (float[2] y, float[2] z)
{
  [call] y = my.Outer <alpha = 3.0> (x)
  [other] z, unused = my.Inner (x)
}
<opset_import: ["" : 18, "my" : 1], domain: "my">
Outer <alpha, mode> (a) => (r) {
  [first] t, u = my.Inner <by = @alpha, mode = @mode> (a, a)
  [add] r = Add(t, u)
}
<opset_import: ["" : 16], domain: "my">
Inner <by: float = 2.0, mode: string = "plain"> (p, q) => (s, same) {
  [c] k = Constant <value_float: float = @by> ()
  [m] s = Mul(p, k)
  [d] dead = Dropped <mode: string = @mode> (p, q)
  same = Identity(p)
}
"""))


def graph_attribute_model():
    """A function that takes a graph and runs it in both branches of an If of its own."""
    node = helper.make_node("If", ["c"], ["r"], name="inner")
    for name in ("then_branch", "else_branch"):
        node.attribute.append(onnx.AttributeProto(name=name, type=onnx.AttributeProto.GRAPH, ref_attr_name="body"))
    function = helper.make_function("my", "Both", ["c"], ["r"], [node], [helper.make_opsetid("", 17)], ["body"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    b = helper.make_tensor_value_info("b", TensorProto.FLOAT, [2])
    body = helper.make_graph([helper.make_node("Neg", ["x"], ["b"], name="neg")], "body", [], [b])
    graph = helper.make_graph(
        [helper.make_node("Both", ["c"], ["y"], name="call", domain="my", body=body)], "g",
        [helper.make_tensor_value_info("c", TensorProto.BOOL, []),
         helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])], [y])
    return helper.make_model(graph, functions=[function], ir_version=10,
                             opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("my", 1)])


save("graph-attribute", graph_attribute_model())

save("recursion", parser.parse_model("""
<ir_version: 10, opset_import: ["" : 17, "my" : 1]>
g (float[2] x) => (float[2] y) { [call] y = my.A (x) }
<opset_import: ["my" : 1], domain: "my"> A (a) => (r) { [toB] r = my.B (a) }
<opset_import: ["my" : 1], domain: "my"> B (a) => (r) { [toA] r = my.A (a) }
"""))

save("arity", parser.parse_model("""
<ir_version: 10, opset_import: ["" : 17, "my" : 1]>
g (float[2] x) => (float[2] y) { [call] y = my.A (x, x) }
<opset_import: ["" : 17], domain: "my"> A (a) => (r) { r = Neg(a) }
"""))

# Each function calls the next twice: 2^30 nodes.
bomb = """
<ir_version: 10, opset_import: ["" : 17, "my" : 1]>
g (float[2] x) => (float[2] y) { y = my.F0 (x) }
"""
for i in range(30):
    bomb += f"""<opset_import: ["" : 17, "my" : 1], domain: "my">
F{i} (a) => (r) {{ t = my.F{i + 1} (a) r = my.F{i + 1} (t) }}"""
bomb += """<opset_import: ["" : 17, "my" : 1], domain: "my"> F30 (a) => (r) { r = Neg (a) }"""
save("bomb", parser.parse_model(bomb))
