# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ONNX graphs with recorded outputs of ONNX Runtime.

A graph grows node by node. Each node is run by ONNX Runtime on the values that it gets, which gives its shapes without
shape inference, and refuses a node whose values would leave the range in which f32 results can be compared.

Every fourth graph has f16 for f32. There the results depend on where they are rounded, so a tolerance is as wide as ONNX
Runtime's own distance from the same graph in f32, a few times.

Usage: python test/random_graphs.py FOLDER FIRST_SEED COUNT   writes FOLDER/SEED/{model.onnx,case0.npz,tolerance.json}
"""

import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

OPSET = 18
SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33]
MAX_ELEMENTS = 1 << 15
F32, F16 = np.dtype(np.float32), np.dtype(np.float16)
I64, I32, BOOL = np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.bool_)


class Refused(Exception):
    """A node that does not fit its operands, or whose values are out of range."""


def model_of(nodes, inputs, outputs, initializers):
    def info(name, value):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)

    graph = helper.make_graph(nodes, "g", [info(*item) for item in inputs.items()],
                              [info(*item) for item in outputs.items()],
                              [numpy_helper.from_array(value, name) for name, value in initializers.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def evaluate(model, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def inferred_shapes(model):
    outputs = onnx.shape_inference.infer_shapes(model, data_prop=True).graph.output
    return [tuple(dim.dim_value for dim in output.type.tensor_type.shape.dim) for output in outputs]


class Graph:
    """A graph under construction, with the value of every tensor."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.float = F16 if seed % 4 == 3 else F32
        self.nodes, self.values, self.inputs, self.initializers = [], {}, {}, {}
        self.exact, self.used = set(), set()

    # Choices.
    def pick(self, items):
        return items[int(self.random.integers(len(items)))]

    def chance(self, probability):
        return self.random.random() < probability

    def size(self):
        return 0 if self.chance(0.01) else self.pick(SIZES)

    def shape(self, rank):
        shape = [self.size() for _ in range(rank)]
        while np.prod(shape) > MAX_ELEMENTS // 4:
            shape[int(np.argmax(shape))] //= 2
        return shape

    def array(self, shape, dtype=None):
        dtype = dtype or self.float
        if dtype == BOOL:
            return self.random.integers(0, 2, shape).astype(bool)
        if dtype.kind == "i":
            return self.random.integers(-5, 6, shape).astype(dtype)
        return self.random.uniform(-1, 1, shape).astype(dtype)

    # Tensors.
    def define(self, name, value):
        self.values[name] = np.asarray(value)
        self.exact.add(name)
        return name

    def input(self, value):
        name = self.define(f"x{len(self.inputs)}", value)
        self.inputs[name] = self.values[name]
        return name

    def constant(self, value):
        name = self.define(f"w{len(self.initializers)}", value)
        self.initializers[name] = self.values[name]
        return name

    def fresh(self, shape, dtype=None):
        """A new input or constant."""
        return (self.input if self.chance(0.4) else self.constant)(self.array(shape, dtype))

    def tensor(self, dtype=None, rank=None, least=0, exact=False):
        """Some tensor of the graph, a recent one rather than an old one."""
        dtype = dtype or self.float
        names = [name for name, value in self.values.items()
                 if value.dtype == dtype and value.ndim >= least and (rank is None or value.ndim == rank)
                 and (not exact or name in self.exact)]
        if names and self.chance(0.9):
            return names[-1 - min(int(self.random.exponential(2)), len(names) - 1)]
        return self.fresh(self.shape(rank if rank is not None else max(least, int(self.random.integers(0, 5)))), dtype)

    def partner(self, name):
        """A tensor that broadcasts with another one."""
        value = self.values[name]
        same = [other for other, array in self.values.items() if array.dtype == value.dtype and other != name]
        fitting = [other for other in same if broadcasts(self.values[other].shape, value.shape)]
        if fitting and self.chance(0.6):
            return self.pick(fitting)
        shape = [1 if self.chance(0.3) else size for size in value.shape]
        return self.fresh(shape[int(self.random.integers(0, len(shape) + 1)):] if self.chance(0.4) else shape, value.dtype)

    def add(self, op_type, inputs, outputs=1, exact=False, **attributes):
        """Appends a node; its results are exact if it only moves exact ones."""
        names = [f"t{len(self.nodes)}_{i}" for i in range(outputs)]
        node = helper.make_node(op_type, inputs, names, name=f"n{len(self.nodes)}_{op_type}", **attributes)
        given = {name: self.values[name] for name in inputs if name}
        # Operands that the standard wants to be constants stay so.
        fed = {name: value for name, value in given.items() if name not in self.initializers}
        held = {name: value for name, value in given.items() if name in self.initializers}
        untyped = helper.make_graph([node], "g", [], [onnx.ValueInfoProto(name=name) for name in names],
                                    [numpy_helper.from_array(value, name) for name, value in held.items()])
        untyped.input.extend(model_of([], fed, {}, {}).graph.input)
        single = helper.make_model(untyped, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        try:
            results = evaluate(single, fed)
        except Exception as error:  # ONNX Runtime raises many kinds; the node does not fit
            raise Refused(str(error)) from error
        if inferred_shapes(single) != [np.shape(result) for result in results]:
            raise Refused("ONNX Runtime disagrees with the shape inference of ONNX")
        for result in map(np.asarray, results):
            if result.size > MAX_ELEMENTS:
                raise Refused("too large")
            if result.dtype.kind == "f" and result.size and not np.abs(result).max() < 1e4:
                raise Refused("out of range")
        moved = exact and all(name in self.exact for name in given)
        for name, result in zip(names, results):
            self.values[name] = np.asarray(result)
            if moved:
                self.exact.add(name)
        self.nodes.append(node)
        self.used.update(given)
        return names[0]


def broadcasts(a, b):
    return all(x == y or x == 1 or y == 1 for x, y in zip(reversed(a), reversed(b)))


def axes_of(graph, rank):
    count = int(graph.random.integers(1, rank + 1))
    axes = graph.random.permutation(rank)[:count]
    return [int(axis) - (rank if graph.chance(0.3) else 0) for axis in sorted(axes)]


def integers(graph, values):
    return graph.constant(np.array(values, np.int64))


# The kinds of nodes.

def unary(graph):
    op = graph.pick(["Abs", "Neg", "Exp", "Sigmoid", "Tanh", "Relu", "Erf", "Softplus", "Softsign", "HardSwish", "Elu",
                     "LeakyRelu", "Selu", "Celu", "HardSigmoid", "Sin", "Cos", "Identity", "Mish", "ThresholdedRelu"])
    graph.add(op, [graph.tensor()], exact=op in ("Abs", "Neg", "Relu", "Identity"))


def positive(graph):
    x = graph.add("Softplus", [graph.tensor()])
    graph.add(graph.pick(["Sqrt", "Log", "Reciprocal"]), [x])


def stepped(graph):
    graph.add(graph.pick(["Floor", "Ceil", "Round", "Sign"]), [graph.tensor(exact=True)], exact=True)


def clip(graph):
    bounds = [graph.constant(graph.float.type(-0.5)), graph.constant(graph.float.type(0.7))]
    graph.add("Clip", [graph.tensor(), *(bound if graph.chance(0.7) else "" for bound in bounds)])


def binary(graph):
    x = graph.tensor()
    operands = [x, graph.partner(x)]
    graph.random.shuffle(operands)
    graph.add(graph.pick(["Add", "Sub", "Mul", "Max", "Min"]), operands)


def prelu(graph):
    x = graph.tensor()
    shape = [1 if graph.chance(0.5) else size for size in graph.values[x].shape]
    graph.add("PRelu", [x, graph.fresh(shape[int(graph.random.integers(0, len(shape) + 1)):])])


def divide(graph):
    x = graph.tensor()
    graph.add("Div", [x, graph.add("Exp", [graph.add("Tanh", [graph.partner(x)])])])


def power(graph):
    graph.add("Pow", [graph.tensor(), graph.constant(graph.float.type(graph.pick([0.0, 1.0, 2.0, 3.0])))])


def variadic(graph):
    x = graph.tensor()
    operands, shape = [x], graph.values[x].shape
    for _ in range(int(graph.random.integers(1, 12))):
        other = graph.partner(x)
        if broadcasts(graph.values[other].shape, shape):
            operands.append(other)
            shape = np.broadcast_shapes(graph.values[other].shape, shape)
    graph.add(graph.pick(["Sum", "Max", "Min", "Mean"]), operands)


def integer(graph):
    x = graph.tensor(graph.pick([I64, I32]))
    op = graph.pick(["Add", "Sub", "Mul", "Max", "Min", "Div", "Mod", "Neg", "Abs", "Sign"])
    if op in ("Neg", "Abs", "Sign"):
        graph.add(op, [x], exact=True)
        return
    y = graph.partner(x)
    if op in ("Div", "Mod") and not graph.values[y].all():
        # Zero divides nothing in ONNX Runtime.
        y = graph.constant(np.array(graph.pick([-3, -1, 2, 7]), graph.values[x].dtype))
    graph.add(op, [x, y], exact=True)


def compare(graph):
    x = graph.tensor(graph.pick([graph.float, I64, I32]), exact=True)
    y = graph.partner(x)
    if y not in graph.exact:
        y = graph.fresh(graph.values[x].shape, graph.values[x].dtype)
    graph.add(graph.pick(["Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"]), [x, y], exact=True)


def logic(graph):
    x = graph.tensor(BOOL)
    if graph.chance(0.2):
        graph.add("Not", [x], exact=True)
    else:
        graph.add(graph.pick(["And", "Or", "Xor"]), [x, graph.partner(x)], exact=True)


def where(graph):
    x = graph.tensor(graph.pick([graph.float, graph.float, I64]))
    shape = [1 if graph.chance(0.3) else size for size in graph.values[x].shape]
    conditions = [name for name, value in graph.values.items()
                  if value.dtype == BOOL and broadcasts(value.shape, graph.values[x].shape)]
    condition = graph.pick(conditions) if conditions else graph.fresh(shape, BOOL)
    graph.add("Where", [condition, x, graph.partner(x)], exact=True)


def cast(graph):
    pairs = [(F32, I64), (F32, I32), (F32, BOOL), (I64, F32), (I32, F32), (BOOL, F32), (I64, I32), (I32, I64), (I64, BOOL),
             (BOOL, I64)]
    if graph.float == F16:
        pairs += [(F16, target) for target in (F32, I64, I32, BOOL)] + [(source, F16) for source in (F32, I64, I32, BOOL)]
    source, target = graph.pick(pairs)
    x = graph.tensor(source, exact=True)
    graph.add("Cast", [x], to=helper.np_dtype_to_tensor_dtype(target), exact=True)


def reduce(graph):
    op = graph.pick(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare",
                     "ReduceLogSumExp", "ReduceProd"])
    x = graph.tensor(I64 if op in ("ReduceSum", "ReduceMax") and graph.chance(0.2) else graph.float)
    rank, inputs = graph.values[x].ndim, [x]
    if rank and graph.chance(0.85):
        axes = axes_of(graph, rank)
        if graph.values[x].size == 0 and any(graph.values[x].shape[axis] == 0 for axis in axes):
            raise Refused("the value of an empty reduction differs by operator")
        inputs.append(integers(graph, axes))
    elif graph.values[x].size == 0:
        raise Refused("the value of an empty reduction differs by operator")
    graph.add(op, inputs, keepdims=int(graph.chance(0.5)))


def arg_reduce(graph):
    x = graph.tensor(exact=True, least=1)
    axis = int(graph.random.integers(graph.values[x].ndim))
    graph.add(graph.pick(["ArgMax", "ArgMin"]), [x], axis=axis, keepdims=int(graph.chance(0.5)),
              select_last_index=int(graph.chance(0.3)), exact=True)


def matmul(graph):
    a = graph.tensor(least=1)
    shape = graph.values[a].shape
    batch = [1 if graph.chance(0.3) else size for size in shape[:-2]]
    batch = batch[int(graph.random.integers(0, len(batch) + 1)):]
    b = [*batch, shape[-1]] + ([] if graph.chance(0.1) and not batch else [graph.size()])
    b = graph.fresh(b)
    if graph.chance(0.2) and len(shape) == 2:
        graph.add("MatMul", [graph.fresh([graph.size(), shape[0]]), a])
    else:
        graph.add("MatMul", [a, b])


def gemm(graph):
    a = graph.tensor(rank=2)
    transposed, other = int(graph.chance(0.3)), int(graph.chance(0.5))
    rows, depth = graph.values[a].shape[::-1] if transposed else graph.values[a].shape
    columns = graph.size()
    inputs = [a, graph.fresh([columns, depth] if other else [depth, columns])]
    if graph.chance(0.7):
        inputs.append(graph.fresh(graph.pick([[columns], [rows, columns], [1, columns], [rows, 1], [1], []])))
    graph.add("Gemm", inputs, transA=transposed, transB=other, alpha=graph.pick([1.0, 0.5]), beta=graph.pick([1.0, 2.0]))


def image(graph):
    """A tensor with channels and spatial dims."""
    if graph.chance(0.7):
        names = [name for name, value in graph.values.items() if value.dtype == graph.float and 3 <= value.ndim <= 5 and value.size]
        if names:
            return names[-1]
    rank = graph.pick([1, 2, 2, 2, 3])
    return graph.input(graph.array([graph.pick([1, 2, 3]), graph.pick([1, 2, 3, 4, 8, 16]),
                                    *graph.shape(rank)]))


def window(graph, x):
    spatial = graph.values[x].shape[2:]
    kernel = [min(graph.pick([1, 1, 2, 3, 3, 5]), max(size, 1)) for size in spatial]
    attributes = {"kernel_shape": kernel}
    if graph.chance(0.6):
        attributes["strides"] = [graph.pick([1, 1, 2, 3]) for _ in spatial]
    if graph.chance(0.5):
        attributes["pads"] = [int(graph.random.integers(0, size)) for size in kernel * 2]
    elif graph.chance(0.3):
        attributes["auto_pad"] = graph.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
    return kernel, attributes


def convolution(graph):
    x = image(graph)
    channels = graph.values[x].shape[1]
    kernel, attributes = window(graph, x)
    groups = graph.pick([g for g in range(1, channels + 1) if channels % g == 0])
    outputs = groups * graph.pick([1, 1, 2, 3, 8])
    if graph.chance(0.3):
        attributes["dilations"] = [graph.pick([1, 2]) for _ in kernel]
    inputs = [x, graph.fresh([outputs, channels // groups, *kernel])]
    if graph.chance(0.5):
        inputs.append(graph.fresh([outputs]))
    graph.add("Conv", inputs, group=groups, **attributes)


def pool(graph):
    x = image(graph)
    kernel, attributes = window(graph, x)
    if "auto_pad" not in attributes and graph.chance(0.3):
        attributes["ceil_mode"] = 1
    if graph.chance(0.5):
        graph.add("MaxPool", [x], **attributes)
    else:
        graph.add("AveragePool", [x], count_include_pad=int(graph.chance(0.4)), **attributes)


def global_pool(graph):
    graph.add(graph.pick(["GlobalAveragePool", "GlobalMaxPool"]), [image(graph)])


def batch_normalization(graph):
    x = image(graph)
    channels = [graph.values[x].shape[1]]
    variance = graph.constant(graph.random.uniform(0.5, 2, channels).astype(graph.float))
    graph.add("BatchNormalization", [x, graph.fresh(channels), graph.fresh(channels), graph.fresh(channels), variance])


def normalization(graph):
    if graph.chance(0.3):
        x = image(graph)
        channels = [graph.values[x].shape[1]]
        graph.add("InstanceNormalization", [x, graph.fresh(channels), graph.fresh(channels)])
        return
    x = graph.tensor(least=1)
    axis = int(graph.random.integers(graph.values[x].ndim))
    shape = graph.values[x].shape[axis:]
    # Rows of one element or of equal ones amplify rounding without bound.
    graph.add("LayerNormalization", [x, graph.fresh(shape), *([graph.fresh(shape)] if graph.chance(0.6) else [])],
              axis=axis, epsilon=1e-2)


def softmax(graph):
    x = graph.tensor(least=1)
    axis = int(graph.random.integers(-graph.values[x].ndim, graph.values[x].ndim))
    graph.add(graph.pick(["Softmax", "Softmax", "LogSoftmax"]), [x], axis=axis)


def anything(graph, least=0):
    return graph.tensor(graph.pick([graph.float, graph.float, graph.float, I64, I32, BOOL]), least=least)


def reshape(graph):
    x = anything(graph)
    size = graph.values[x].size
    shape, rest = [], size
    for _ in range(int(graph.random.integers(0, 4))):
        divisors = [d for d in range(1, min(rest, 64) + 1) if rest % d == 0] or [1]
        shape.append(graph.pick(divisors))
        rest //= shape[-1]
    shape.insert(int(graph.random.integers(0, len(shape) + 1)), rest)
    if size and graph.chance(0.4):
        shape[int(graph.random.integers(len(shape)))] = -1
    graph.add("Reshape", [x, integers(graph, shape)], exact=True)


def flatten(graph):
    x = anything(graph)
    graph.add("Flatten", [x], axis=int(graph.random.integers(0, graph.values[x].ndim + 1)), exact=True)


def transpose(graph):
    x = anything(graph, least=2)
    graph.add("Transpose", [x], perm=[int(i) for i in graph.random.permutation(graph.values[x].ndim)], exact=True)


def squeeze(graph):
    x = anything(graph)
    ones = [axis for axis, size in enumerate(graph.values[x].shape) if size == 1]
    if ones and graph.chance(0.6):
        graph.add("Squeeze", [x, integers(graph, [graph.pick(ones)])], exact=True)
    else:
        graph.add("Unsqueeze", [x, integers(graph, [int(graph.random.integers(0, graph.values[x].ndim + 1))])], exact=True)


def expand(graph):
    x = anything(graph)
    shape = [graph.size() if size == 1 else size for size in graph.values[x].shape]
    graph.add("Expand", [x, integers(graph, ([2] if graph.chance(0.3) else []) + shape)], exact=True)


def tile(graph):
    x = anything(graph, least=1)
    graph.add("Tile", [x, integers(graph, [graph.pick([1, 1, 2, 3]) for _ in graph.values[x].shape])], exact=True)


def concat(graph):
    x = anything(graph, least=1)
    value = graph.values[x]
    axis = int(graph.random.integers(value.ndim))
    rest = value.shape[:axis] + value.shape[axis + 1:]
    fitting = [name for name, other in graph.values.items() if other.dtype == value.dtype and other.ndim == value.ndim
               and other.shape[:axis] + other.shape[axis + 1:] == rest]
    parts = [x]
    for _ in range(int(graph.random.integers(1, 10))):
        shape = list(value.shape)
        shape[axis] = graph.pick([1, 2, 5, 16])
        parts.append(graph.pick(fitting) if graph.chance(0.5) else graph.fresh(shape, value.dtype))
    graph.random.shuffle(parts)
    graph.add("Concat", parts, axis=axis - (value.ndim if graph.chance(0.3) else 0), exact=True)


def slices(graph):
    x = anything(graph, least=1)
    shape = graph.values[x].shape
    axes = axes_of(graph, len(shape))
    starts, ends, steps = [], [], []
    for axis in axes:
        low, high = sorted(int(i) for i in graph.random.integers(0, shape[axis] + 1, 2))
        step = graph.pick([1, 1, 1, 2, 3, -1, -2])
        starts.append(high if step < 0 else low)
        ends.append((low - shape[axis] - 1 if graph.chance(0.5) else low) if step < 0 else
                    (1 << 40 if graph.chance(0.3) else high))
        steps.append(step)
    graph.add("Slice", [x, *(integers(graph, values) for values in (starts, ends, axes, steps))], exact=True)


def split(graph):
    x = anything(graph, least=1)
    axis = int(graph.random.integers(graph.values[x].ndim))
    size = graph.values[x].shape[axis]
    cuts = sorted(int(c) for c in graph.random.integers(0, size + 1, 2))
    lengths = np.diff([0, *cuts, size])
    graph.add("Split", [x, integers(graph, lengths)], outputs=3, axis=axis, exact=True)


def pad(graph):
    x = graph.tensor(graph.pick([graph.float, graph.float, I64]), least=1)
    mode = graph.pick(["constant", "constant", "reflect", "edge"])
    low = -1 if mode == "constant" else 0
    pads = [int(graph.random.integers(low, 3)) for _ in graph.values[x].shape * 2]
    inputs = [x, integers(graph, pads)]
    if mode == "constant" and graph.chance(0.5):
        inputs.append(graph.constant(np.array(3, graph.values[x].dtype)))
    graph.add("Pad", inputs, mode=mode, exact=True)


def gather(graph):
    x = anything(graph, least=1)
    axis = int(graph.random.integers(graph.values[x].ndim))
    size = graph.values[x].shape[axis]
    if size == 0:
        raise Refused("nothing to gather")
    indices = graph.random.integers(-size, size, graph.shape(graph.pick([0, 1, 1, 2])))
    indices = np.asarray(indices, graph.pick([np.int64, np.int32]))
    graph.add("Gather", [x, (graph.input if graph.chance(0.5) else graph.constant)(indices)], axis=axis, exact=True)


KINDS = [unary, unary, positive, stepped, clip, binary, binary, binary, prelu, divide, power, variadic, integer, compare, logic,
         where, cast, reduce, reduce, arg_reduce, matmul, matmul, gemm, convolution, convolution, pool, global_pool,
         batch_normalization, normalization, softmax, reshape, reshape, flatten, transpose, transpose, squeeze, expand,
         tile, concat, concat, slices, slices, split, pad, gather]


def in_f32(graph, inputs, initializers, outputs):
    """The results of the graph with f32 for f16."""
    def wide(arrays):
        return {name: value.astype(F32) if value.dtype == F16 else value for name, value in arrays.items()}

    nodes = []
    for node in graph.nodes:
        nodes.append(onnx.NodeProto())
        nodes[-1].CopyFrom(node)
        for attribute in nodes[-1].attribute:
            if node.op_type == "Cast" and attribute.i == onnx.TensorProto.FLOAT16:
                attribute.i = onnx.TensorProto.FLOAT
    outputs = {name: graph.values[name] for name in outputs}
    return evaluate(model_of(nodes, wide(inputs), wide(outputs), wide(initializers)), wide(inputs))


def make(seed):
    """A model, its inputs and its outputs."""
    graph = Graph(seed)
    wanted = int(graph.random.integers(3, 13))
    graph.tensor()
    for _ in range(200):
        if len(graph.nodes) >= wanted:
            break
        try:
            graph.pick(KINDS)(graph)
        except Refused:
            continue
    made = [name for node in graph.nodes for name in node.output]
    outputs = [name for name in made if name not in graph.used or graph.chance(0.15)]
    used = {name for node in graph.nodes for name in node.input}
    inputs = {name: value for name, value in graph.inputs.items() if name in used}
    initializers = {name: value for name, value in graph.initializers.items() if name in used}
    model = model_of(graph.nodes, inputs, {name: graph.values[name] for name in outputs}, initializers)
    onnx.checker.check_model(model)
    results = dict(zip(outputs, evaluate(model, inputs)))
    reference = results
    if graph.float == F16:
        reference = dict(zip(outputs, in_f32(graph, inputs, initializers, outputs)))
    return model, inputs, results, reference


def tolerance_of(result, reference):
    """Sums of many terms cancel: what is small beside the largest element has its rounding."""
    wide = result.astype(np.float64)
    scale = max(1.0, float(np.abs(wide).max()))
    if reference is result:
        return {"atol": 1e-5 * scale}
    error = float(np.abs(wide - reference.astype(np.float64)).max())
    return {"atol": 1e-5 * scale + 4 * error + (scale * 2**-9 if result.dtype == F16 else 0)}


def write(folder, seed):
    folder = pathlib.Path(folder) / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    model, inputs, outputs, reference = make(seed)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    np.savez(folder / "case0.npz", **inputs, **outputs)
    tolerance = {"outputs": {name: tolerance_of(value, reference[name]) for name, value in outputs.items()
                             if value.dtype.kind == "f" and value.size}}
    (folder / "tolerance.json").write_text(json.dumps(tolerance))


if __name__ == "__main__":
    target, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for number in range(first, first + count):
        write(target, number)
