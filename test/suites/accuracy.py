"""Results in f16 beside f64: our largest error is at most twice ONNX Runtime's own on the same inputs."""

import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from . import common

MOST = 2.0


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_normalization(x, scale, bias):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5) * scale + bias


def convolution(x, w):
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("nchwrs,kcrs->nkhw", windows, w)


def average(x):
    return x.mean((2, 3), keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


# Name: nodes as (operator, inputs, output, attributes), shapes of the inputs, the same in f64.
CASES = {
    "matmul": ([("MatMul", "x w", "y", {})], {"x": (64, 1000), "w": (1000, 48)}, lambda x, w: x @ w),
    "vector": ([("MatMul", "x w", "y", {})], {"x": (1, 2000), "w": (2000, 96)}, lambda x, w: x @ w),
    "gemm": ([("Gemm", "x w b", "y", {"alpha": 0.5})], {"x": (17, 300), "w": (300, 33), "b": (33,)},
             lambda x, w, b: 0.5 * (x @ w) + b),
    "convolution": ([("Conv", "x w", "y", {})], {"x": (1, 24, 14, 14), "w": (16, 24, 3, 3)}, convolution),
    "softmax": ([("Softmax", "x", "y", {"axis": -1})], {"x": (9, 777)}, softmax),
    "layer-normalization": ([("LayerNormalization", "x s b", "y", {})], {"x": (9, 700), "s": (700,), "b": (700,)},
                            layer_normalization),
    "sum": ([("ReduceSum", "x", "y", {"keepdims": 0})], {"x": (30, 1000)}, lambda x: x.sum()),
    "mean": ([("ReduceMean", "x", "y", {"keepdims": 0})], {"x": (30, 1000)}, lambda x: x.mean()),
    "square-sum": ([("ReduceSumSquare", "x", "y", {"keepdims": 0})], {"x": (30, 100)}, lambda x: (x * x).sum()),
    "average-pool": ([("GlobalAveragePool", "x", "y", {})], {"x": (2, 30, 40, 40)}, average),
    "gelu": ([("Gelu", "x", "y", {"approximate": "tanh"})], {"x": (40, 500)}, gelu),
    "mlp": ([("MatMul", "x w", "h", {}), ("Relu", "h", "r", {}), ("MatMul", "r v", "y", {})],
            {"x": (8, 200), "w": (200, 300), "v": (300, 40)}, lambda x, w, v: np.maximum(x @ w, 0) @ v),
}


def model_of(nodes, inputs):
    """`x` is the model's input, the others are constants."""
    made = [helper.make_node(op, names.split(), [output], **attributes) for op, names, output, attributes in nodes]
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT16, inputs["x"].shape)
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT16, None)
    constants = [numpy_helper.from_array(value, name) for name, value in inputs.items() if name != "x"]
    graph = helper.make_graph(made, "g", [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def check(name):
    nodes, shapes, reference = CASES[name]
    random = np.random.default_rng(0)
    inputs = {key: random.standard_normal(shape).astype(np.float16) for key, shape in shapes.items()}
    expected = reference(*(value.astype(np.float64) for value in inputs.values()))
    model = model_of(nodes, inputs)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    theirs = np.abs(session.run(None, {"x": inputs["x"]})[0].astype(np.float64) - expected).max()
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, f"{folder}/model.onnx")
        np.savez(f"{folder}/in.npz", x=inputs["x"])
        done = common.run([common.BIN / "mkc", "run", f"{folder}/model.onnx", "--inputs", f"{folder}/in.npz", "--outputs",
                           f"{folder}/out.npz"], timeout=120)
        if done.returncode:
            return f"exit code {done.returncode}: {done.stdout}"
        with np.load(f"{folder}/out.npz") as arrays:
            ours = np.abs(arrays["y"].astype(np.float64) - expected).max()
    return "" if ours <= MOST * theirs else f"error {ours:.3g}, ONNX Runtime's is {theirs:.3g}"


def run(totals, mode):
    common.each(totals, "accuracy", list(CASES), check)
