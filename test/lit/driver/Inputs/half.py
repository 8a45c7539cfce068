# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes folders of cases in f16 and bf16 into the folder argv[1]. Expected values come from numpy, which computes f16
in f32 and rounds each result, and from ml_dtypes; NaN becomes the integer 0, and what no integer holds the nearest."""
import os
import sys

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, parser

BF16 = np.dtype(ml_dtypes.bfloat16)
NAMES = {"float16": np.dtype(np.float16), "bfloat16": BF16, "float": np.dtype(np.float32), "int32": np.dtype(np.int32),
         "int64": np.dtype(np.int64), "bool": np.dtype(np.bool_)}


def save(name, graph, **tensors):
    write(name, parser.parse_model('<ir_version: 10, opset_import: ["" : 22]>\n' + graph), **tensors)


def write(name, model, **tensors):
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "model.onnx"), "wb") as file:
        file.write(model.SerializeToString())
    arrays = {key: value.view(np.uint16) if value.dtype == BF16 else value for key, value in tensors.items()}
    np.savez(os.path.join(folder, "case0.npz"), **arrays)


def convert(x, dtype):
    wide = x.astype(np.float32) if x.dtype.kind != "i" else x
    if dtype.kind != "i" or wide.dtype.kind == "i":
        return wide.astype(dtype)
    limits = np.iinfo(dtype)
    inside = (wide > limits.min) & (wide < -float(limits.min))
    result = np.where(inside, wide, 0).astype(dtype)
    result[wide <= limits.min] = limits.min
    result[wide >= -float(limits.min)] = limits.max
    return result


def casts(source, values):
    targets = [name for name in NAMES if name != source]
    size = len(values)
    outputs = ", ".join(f"{name}[{size}] y_{name}" for name in targets)
    numbers = {"float": 1, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "bfloat16": 16}
    nodes = [f"y_{name} = Cast<to = {numbers[name]}>(x)" if i % 2 else f"y_{name} = CastLike(x, l_{name})"
             for i, name in enumerate(targets)]
    results = {f"y_{name}": convert(values, NAMES[name]) for name in targets}
    given = {f"l_{name}": np.zeros(1, NAMES[name]) for i, name in enumerate(targets) if i % 2 == 0}
    likes = ", ".join(f"{name}[1] l_{name}" for i, name in enumerate(targets) if i % 2 == 0)
    save(f"cast-{source}", f"g ({source}[{size}] x, {likes}) => ({outputs}) {{ {' '.join(nodes)} }}", x=values, **given,
         **results)


with np.errstate(all="ignore"):
    every = np.arange(65536, dtype=np.uint16)
    casts("float16", every.view(np.float16))
    casts("bfloat16", every.view(BF16))
    # Around every value of 16 bits, and halfway between each two.
    halves, brains = (every.view(np.float16).astype(np.float32), every.view(BF16).astype(np.float32))
    middles = [((values[:-1].astype(np.float64) + values[1:]) / 2).astype(np.float32) for values in (halves, brains)]
    floats = np.concatenate([halves, brains, *middles])
    floats = np.concatenate([floats, np.nextafter(floats, np.float32(0)), np.nextafter(floats, np.float32(np.inf))])
    casts("float", floats[~np.isnan(floats) | (np.arange(len(floats)) < 10000)])
    integers = np.concatenate([np.arange(-70000, 70000), 2 ** np.arange(17, 31), -2 ** np.arange(17, 31)])
    casts("int64", integers.astype(np.int64))

    random = np.random.default_rng(0)
    for source in ("float16", "bfloat16"):
        dtype = NAMES[source]
        shape = (3, 37)
        x, y, z = (random.uniform(-4, 4, shape).astype(dtype) for _ in range(3))
        wide = lambda value: value.astype(np.float32)
        product = (wide(x) * wide(y)).astype(dtype)
        total = (wide(product) + wide(z)).astype(dtype)
        quotient = (wide(total) / wide(y)).astype(dtype)
        least = np.minimum(wide(quotient), wide(x)).astype(dtype)
        # One kernel rounds after each node, as several would.
        save(f"chain-{source}", f"""g ({source}[3, 37] x, {source}[3, 37] y, {source}[3, 37] z) =>
            ({source}[3, 37] a, {source}[37, 3] t, {source}[3, 37] w, bool[3, 37] l) {{
          p = Mul(x, y) s = Add(p, z) q = Div(s, y) a = Min(q, x) t = Transpose(a) l = Less(x, y) w = Where(l, x, y)
        }}""", x=x, y=y, z=z, a=least, t=np.ascontiguousarray(least.T), w=np.where(wide(x) < wide(y), x, y),
             l=wide(x) < wide(y))
        # Sums that f16 and bf16 could not hold on the way, of values that they hold exactly.
        ones = random.integers(-1, 2, (5, 4000)).astype(dtype)
        weight = random.integers(-1, 2, (4000, 33)).astype(dtype)
        exact = ones.astype(np.float32)
        save(f"sums-{source}", f"""g ({source}[5, 4000] x, {source}[4000, 33] w) =>
            ({source}[5, 33] m, {source}[5] s, {source}[5] n, int64[5] a) <int64[1] one = {{1}}> {{
          m = MatMul(x, w) s = ReduceSum<keepdims = 0>(x, one) n = ReduceL1<keepdims = 0>(x, one)
          a = ArgMax<axis = 1, keepdims = 0>(x)
        }}""", x=ones, w=weight, m=(exact @ weight.astype(np.float32)).astype(dtype), s=exact.sum(1).astype(dtype),
             n=np.abs(exact).sum(1).astype(dtype), a=exact.argmax(1))

x, y = np.float16(1.5), np.float16(0.25)
save("odd", """g (float16 x, float16[1] y, float16[0, 3] e, float16[3, 0] n, float16[2, 1] o) =>
    (float16[1] s, float16[0, 3] r, float16[3] z, float16[3] m, float16[2, 1] p, float16[2] q) <int64[1] one = {1}> {
  s = Add(x, y) r = Relu(e) z = ReduceSum<keepdims = 0>(n, one) m = ReduceMax<keepdims = 0>(n, one)
  p = Softmax(o) q = ReduceMean<keepdims = 0>(o, one)
}""", x=np.array(x), y=np.array([y]), e=np.zeros((0, 3), np.float16), n=np.zeros((3, 0), np.float16),
     o=np.array([[3], [-5]], np.float16), s=np.array([x + y]), r=np.zeros((0, 3), np.float16),
     z=np.zeros(3, np.float16), m=np.full(3, -np.inf, np.float16), p=np.ones((2, 1), np.float16),
     q=np.array([3, -5], np.float16))
# A weight of more than 64 KB in the typed field, where an element is an int32.
weight = random.integers(-2, 3, (200, 300)).astype(np.float16)
x = random.integers(-2, 3, (3, 200)).astype(np.float16)
model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 22]>
    g (float16[3, 200] x) => (float16[3, 300] y) { y = MatMul(x, w) }""")
model.graph.initializer.append(helper.make_tensor("w", TensorProto.FLOAT16, weight.shape, weight.ravel()))
write("typed-field", model, x=x, y=(x.astype(np.float32) @ weight.astype(np.float32)).astype(np.float16))
