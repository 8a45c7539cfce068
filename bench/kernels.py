"""Writes one-operator models whose speed is compared with the FMA peak: python kernels.py FOLDER"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper


def save(path, nodes, inputs, constants):
    values = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in inputs.items()]
    result = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    weights = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "kernel", values, [result], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    weight = random.standard_normal((64, 64, 3, 3), np.float32) / 24
    save(folder / "matmul-512.onnx", [helper.make_node("MatMul", ["a", "b"], ["y"])],
         {"a": [512, 512], "b": [512, 512]}, {})
    save(folder / "conv3x3-64-56.onnx", [helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])],
         {"x": [1, 64, 56, 56]}, {"w": weight})


if __name__ == "__main__":
    main(sys.argv[1])
