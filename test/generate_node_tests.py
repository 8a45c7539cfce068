"""Writes the official node tests of the installed onnx package: python generate_node_tests.py FOLDER

One folder per test in ONNX's layout. Tests with inputs or outputs that are no tensors are left out.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case import node as node_tests


def write_tensors(folder, kind, values, infos):
    for i, (value, info) in enumerate(zip(values, infos)):
        tensor = value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(np.asarray(value), info.name)
        tensor.name = info.name
        (folder / f"{kind}_{i}.pb").write_bytes(tensor.SerializeToString())


def write(case, folder):
    graph = case.model.graph
    if not all(info.type.HasField("tensor_type") for info in [*graph.input, *graph.output]):
        return
    for i, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{i}"
        data.mkdir(parents=True, exist_ok=True)
        write_tensors(data, "input", inputs, graph.input)
        write_tensors(data, "output", outputs, graph.output)
    onnx.save(case.model, folder / "model.onnx")


def main(target):
    for case in node_tests.collect_testcases(None):
        if case.model is not None and case.data_sets:
            write(case, pathlib.Path(target) / case.name)


if __name__ == "__main__":
    main(sys.argv[1])
