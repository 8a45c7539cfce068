# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models and folders of cases for the tests of the command line into the folder argv[1]."""
import json
import os
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper, parser

out = sys.argv[1]
os.makedirs(out, exist_ok=True)


def save(name, text):
    model = parser.parse_model(text)
    path = os.path.join(out, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


ADD = """<ir_version: 8, opset_import: ["" : 17]>
g (float[batch, 3] x, float[batch, 3] z) => (float[batch, 3] y) <float[3] w = {1, 2, 3}> {
  [layer_mul] t = Mul(x, w)
  [layer_add] y = Add(t, z)
}"""
save("add.onnx", ADD)
save("unsupported.onnx", """<ir_version: 8, opset_import: ["" : 17, "com.example" : 3]>
g (float[2] x, double[2] h) => (float[2] y, double[2] i) {
  [first] a = com.example.Foo(x)
  [second] y = StringNormalizer(a)
  [third] i = Abs(h)
}""")
save("slopes.onnx", """<ir_version: 8, opset_import: ["" : 17]>
g (float[64] x) => (float[64] y, float[64] z) {
  [gentle] y = LeakyRelu <alpha = 0.1> (x)
  [steep] z = LeakyRelu <alpha = 0.2> (x)
}""")
save("shape.onnx", """<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3] x, int64[2] s) => (float[m, n] y) { [reshape] y = Reshape(x, s) }""")
save("floats.onnx", """<ir_version: 8, opset_import: ["" : 17]> g (float[6] x) => (float[6] y) { y = Relu(x) }""")
save("labels.onnx", """<ir_version: 8, opset_import: ["" : 17]> g (int32[6] x) => (float[6] y) { y = Cast<to = 1>(x) }""")
save("nothing.onnx", ADD.replace("(float[batch, 3] y)", "()"))
save("no-nodes.onnx", """<ir_version: 8, opset_import: ["" : 17]> g () => () {}""")
with open(os.path.join(out, "broken.onnx"), "wb") as file:
    file.write(b"broken")


def case(folder, number, batch, error=0.0):
    x = np.arange(batch * 3, dtype=np.float32).reshape(batch, 3)
    z = np.ones_like(x)
    y = x * np.array([1, 2, 3], np.float32) + z
    y[-1, -1] += error
    np.savez(os.path.join(folder, f"case{number}.npz"), x=x, z=z, y=y)
    return x, z, y


for name, error in (("good", 0), ("bad", 0.5)):
    save(f"{name}/model.onnx", ADD)
    # Natural order: case2 comes before case10.
    case(os.path.join(out, name), 2, 1)
    case(os.path.join(out, name), 10, 4, error)
save("tolerant/model.onnx", ADD)
case(os.path.join(out, "tolerant"), 0, 2, 0.5)
with open(os.path.join(out, "tolerant/tolerance.json"), "w") as file:
    json.dump({"rtol": 0, "atol": 0, "outputs": {"y": {"atol": 1}}}, file)
save("empty/model.onnx", ADD)

save("sets/model.onnx", ADD)
for batch in (1, 2):
    folder = os.path.join(out, f"sets/test_data_set_{batch - 1}")
    os.makedirs(folder, exist_ok=True)
    x, z, y = case(folder, 0, batch)
    for name, array in {"input_0": x, "input_1": z, "output_0": y}.items():
        with open(os.path.join(folder, name + ".pb"), "wb") as file:
            file.write(numpy_helper.from_array(array).SerializeToString())

# Recorded cases that lack something: the second input's file, the output's file, an array.
for name, lacks in {"no-input": "input_1", "gap": "input_0", "no-output": "output_0"}.items():
    save(f"{name}/model.onnx", ADD)
    folder = os.path.join(out, f"{name}/test_data_set_0")
    os.makedirs(folder, exist_ok=True)
    x, z, y = np.ones((1, 3), np.float32), np.ones((1, 3), np.float32), np.array([[2, 3, 4]], np.float32)
    for file_name, array in {"input_0": x, "input_1": z, "output_0": y}.items():
        if file_name != lacks:
            with open(os.path.join(folder, file_name + ".pb"), "wb") as file:
                file.write(numpy_helper.from_array(array).SerializeToString())
save("no-array/model.onnx", ADD)
np.savez(os.path.join(out, "no-array/case0.npz"), x=x, y=y)

np.savez(os.path.join(out, "disagree.npz"), x=np.zeros((2, 3), np.float32), z=np.zeros((4, 3), np.float32))
np.savez(os.path.join(out, "s.npz"), s=np.array([3, 2]))
np.save(os.path.join(out, "s.npy"), np.array([6, 1]))
np.savez(os.path.join(out, "w.npz"), w=np.zeros(3, np.float32))

constant = parser.parse_model(ADD)
constant.graph.input.append(helper.make_tensor_value_info("w", onnx.TensorProto.FLOAT, [3]))
with open(os.path.join(out, "constant.onnx"), "wb") as file:
    file.write(constant.SerializeToString())
