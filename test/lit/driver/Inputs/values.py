# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes folders of cases with odd shapes and values into the folder argv[1]. Expected values are the standard's: ONNX
Runtime raises where integers are divided by zero, and refuses several empty shapes."""
import os
import sys

import numpy as np
from onnx import parser

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def f32(values, shape=None):
    array = np.asarray(values, np.float32)
    return array if shape is None else array.reshape(shape)


def save(name, graph, outputs, **inputs):
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder, exist_ok=True)
    model = parser.parse_model('<ir_version: 8, opset_import: ["" : 18]>\n' + graph)
    with open(os.path.join(folder, "model.onnx"), "wb") as file:
        file.write(model.SerializeToString())
    np.savez(os.path.join(folder, "case0.npz"), **{**inputs, **outputs})


GATHER = "g (float[4, 3] x, int64[3] i) => (float[3, 3] y) { [lookup] y = Gather(x, i) }"
table = f32(np.arange(12), (4, 3))
save("gather", GATHER, {"y": table[[0, 3, 0]]}, x=table, i=np.array([0, -1, -4]))
save("gather-above", GATHER, {"y": table[:3]}, x=table, i=np.array([0, 4, 1]))
save("gather-below", GATHER, {"y": table[:3]}, x=table, i=np.array([0, LEAST, 1]))

x, y = np.array([7, -7, LEAST, 5, 0]), np.array([0, 0, -1, -2, 0])
save("division", "g (int64[5] x, int64[5] y) => (int64[5] d, int64[5] m) { d = Div(x, y) m = Mod(x, y) }",
     {"d": np.array([0, 0, LEAST, -2, 0]), "m": np.array([0, 0, 0, -1, 0])}, x=x, y=y)
extremes = np.array([LEAST, -1, 0, 1, MOST])
with np.errstate(over="ignore"):
    save("extremes", "g (int64[5] x, int64[5] y) => (int64[5] a, int64[5] s, int64[5] p, int64[5] n, int64[5] m)"
         "{ a = Add(x, y) s = Sub(x, y) p = Mul(x, y) n = Neg(x) m = Abs(x) }",
         {"a": extremes + extremes[::-1], "s": extremes - extremes[::-1], "p": extremes * extremes[::-1],
          "n": -extremes, "m": np.abs(extremes)}, x=extremes, y=extremes[::-1])

empty = f32([], (3, 0))
save("empty", """g (float[3, 0] x, float[0, 4] w) =>
    (float[3] s, float[3] p, float[0] n, float[3, 4] m, float[3, 0] f, float[3, 8] c)
    <int64[1] one = {1}, int64[1] zero = {0}> {
  s = ReduceSum<keepdims = 0>(x, one)
  p = ReduceProd<keepdims = 0>(x, one)
  n = ReduceSum<keepdims = 0>(x, zero)
  m = MatMul(x, w)
  f = Softmax(x)
  c = Concat<axis = 1>(m, x, m)
}""", {"s": f32([0, 0, 0]), "p": f32([1, 1, 1]), "n": f32([]), "m": np.zeros((3, 4), np.float32), "f": empty,
       "c": np.zeros((3, 8), np.float32)}, x=empty, w=f32([], (0, 4)))
save("scalars", """g (float x, float y) => (float a, float m, float s, float[1] u) <int64[1] axis = {0}> {
  a = Add(x, y)
  m = Max(x, y, a)
  s = ReduceSum(x)
  u = Unsqueeze(y, axis)
}""", {"a": f32(-0.5), "m": f32(1.5), "s": f32(1.5), "u": f32([-2])}, x=f32(1.5), y=f32(-2))
v = f32([-1, 0, 2])
save("passed-through", """g (float[3] x) => (float[3] y, float[3] z, float[3] v, float[3] w) <float[3] w = {1, 2, 3}> {
  y = Relu(x)
  z = Identity(y)
  v = Identity(x)
}""", {"y": f32([0, 0, 2]), "z": f32([0, 0, 2]), "v": v, "w": f32([1, 2, 3])}, x=v)
names = [f"x{i}" for i in range(40)]
parts = {name: np.full((2, 3), i, np.float32) for i, name in enumerate(names)}
save("many-operands", f"""g ({', '.join('float[2, 3] ' + name for name in names)}) =>
    (float[2, 3] s, float[2, 3] m, float[80, 3] c) {{
  s = Sum({', '.join(names)})
  m = Max({', '.join(names)})
  c = Concat<axis = 0>({', '.join(names)})
}}""", {"s": np.full((2, 3), 780, np.float32), "m": np.full((2, 3), 39, np.float32),
        "c": np.concatenate(list(parts.values()))}, **parts)
# More operands than a record holds, of different shapes, constants among them.
names = [f"x{i}" for i in range(300)]
few = {name: np.full((2, 3) if i % 7 else (3,), (i * 37) % 101, np.float32) for i, name in enumerate(names)}
integers = {"i" + name: array.astype(np.int64) for name, array in few.items()}
total = sum(few.values())


def declare(arrays, element):
    return ", ".join(f"{element}[{', '.join(map(str, array.shape))}] {name}" for name, array in arrays.items())


save("hundreds", f"""g ({declare(few, 'float')}, {declare(integers, 'int64')}) =>
    (float[2, 3] s, float[2, 3] e, float[2, 3] m, int64[2, 3] n, float[2, 3] k, float[3] b) <float[3] w = {{1, 2, 300}}> {{
  s = Sum({', '.join(names)})
  e = Mean({', '.join(names)})
  m = Max({', '.join(names)}, w)
  n = Min({', '.join(integers)})
  k = Sum({', '.join(['w'] * 299 + ['x1'])})
  b = Mean({', '.join(['x0'] * 13)})
}}""", {"s": total, "e": total / 300, "m": np.full((2, 3), 100, np.float32) + f32([0, 0, 200]), "n": np.zeros((2, 3), int),
        "k": 299 * f32([1, 2, 300]) + few["x1"], "b": few["x0"]}, **few, **integers)
no_nodes = {"x": v, "i": np.array([[LEAST, MOST]]), "b": np.array(True), "none": empty}
save("no-nodes", """g (float[3] x, int64[1, 2] i, bool b, float[3, 0] none) =>
    (float[3] x, int64[1, 2] i, bool b, float[3, 0] none, int64[0] z, bool[2] t, float w)
    <int64[0] z = {}, bool[2] t = {1, 0}, float w = {7}> {}""",
     {**no_nodes, "z": np.zeros(0, int), "t": np.array([True, False]), "w": f32(7)}, **no_nodes)
chain = " ".join(f"t{i + 1} = Concat<axis = 0>(t{i}, x)" for i in range(200))
row = f32([[1, 2, 3]])
save("chain", "g (float[1, 3] t0, float[1, 3] x) => (float[201, 3] t200) {" + chain + "}",
     {"t200": np.repeat(row, 201, 0)}, t0=row, x=row)
