#!/usr/bin/env python3
# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs models in the interpreter of level 2 and compares with recorded outputs.

    check_level2.py --interpreter build/release/bin/mk-interpret cases FOLDER [NAME...]
    check_level2.py --interpreter build/release/bin/mk-interpret node-tests [--refused FILE] [PATTERN...]
    check_level2.py --interpreter build/release/bin/mk-interpret folders FOLDER...

`cases` takes the case folders below FOLDER whose level in index.json is 1 or 2, `node-tests` the official
ONNX node tests of the operators that the conversion supports, which the onnx package generates, `folders`
folders in ONNX's layout (model.onnx, test_data_set_*) below the given ones, such as the onnx
package's backend/test/data/pytorch-operator: models of opsets 6 to 9. A JSON object of names and error texts in FILE says
which tests must be refused, and how.
"""
import argparse
import concurrent.futures
import functools
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

TYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i32": np.int32, "i64": np.int64, "bool": np.bool_}
NAMES = {np.dtype(value): key for key, value in TYPES.items()}
# rtol and atol.
TOLERANCES = {"f32": (1e-3, 1e-5), "f16": (1e-2, 1e-3), "bf16": (5e-2, 1e-2)}


def write_tensors(folder, tensors):
    description = {}
    for index, (name, value) in enumerate(tensors.items()):
        value = np.ascontiguousarray(value).reshape(np.shape(value))
        value.tofile(os.path.join(folder, f"{index}.bin"))
        description[name] = {
            "type": NAMES[value.dtype],
            "shape": list(value.shape),
            "file": f"{index}.bin",
        }
    with open(os.path.join(folder, "tensors.json"), "w") as file:
        json.dump(description, file)


def read_tensors(folder):
    with open(os.path.join(folder, "tensors.json")) as file:
        description = json.load(file)
    return {
        name: np.fromfile(os.path.join(folder, entry["file"]), TYPES[entry["type"]]).reshape(entry["shape"])
        for name, entry in description.items()
    }


def interpret(options, model, inputs):
    """Outputs of `model` by name, or the interpreter's error."""
    with tempfile.TemporaryDirectory() as folder:
        given, result = os.path.join(folder, "in"), os.path.join(folder, "out")
        os.mkdir(given)
        os.mkdir(result)
        write_tensors(given, inputs)
        command = [options.interpreter, model, f"--inputs={given}", f"--outputs={result}"]
        if options.passes:
            command.append(f"--passes={options.passes}")
        run = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
        if run.returncode != 0:
            return run.stderr.strip() or f"exit code {run.returncode}"
        return read_tensors(result)


def difference(name, actual, expected, rtol, atol):
    """A text that tells how two tensors differ, or None."""
    if actual is None:
        return f"{name} is missing"
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"{name} is {actual.dtype}{list(actual.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if NAMES[expected.dtype] not in TOLERANCES:
        wrong = actual != expected
    else:
        actual, expected = actual.astype(np.float64), expected.astype(np.float64)
        with np.errstate(invalid="ignore"):
            near = np.abs(actual - expected) <= atol + rtol * np.abs(expected)
        wrong = ~(near | (actual == expected) | (np.isnan(actual) & np.isnan(expected)))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{name}{list(at)} is {actual[at]}, expected {expected[at]}; {int(wrong.sum())} of {wrong.size} differ"


def compare(actual, expected, tolerance):
    if isinstance(actual, str):
        return actual
    problems = []
    for name, value in expected.items():
        own = {**tolerance, **tolerance.get("outputs", {}).get(name, {})}
        rtol, atol = TOLERANCES.get(NAMES[value.dtype], (0, 0))
        problems.append(difference(name, actual.get(name), value, own.get("rtol", rtol), own.get("atol", atol)))
    return "; ".join(problem for problem in problems if problem)


def check_case(options, model, inputs, expected, tolerance):
    try:
        return compare(interpret(options, model, inputs), expected, tolerance)
    except subprocess.TimeoutExpired:
        return f"ran for more than {options.timeout} s"


def judge(problem, refusal):
    """A text that tells what is wrong, or None; `refusal` is the error that must come, or None."""
    if not refusal:
        return problem
    if not problem:
        return "passes, but is listed as refused"
    return None if refusal in problem else f"expected '{refusal}', got {problem}"


def recorded_cases(options):
    import onnx

    with open(os.path.join(options.folder, "index.json")) as file:
        index = json.load(file)
    for entry in index:
        folder = os.path.join(options.folder, entry["name"])
        if str(entry.get("level")) not in ("1", "2") or (options.names and entry["name"] not in options.names):
            continue
        model = os.path.join(folder, "model.onnx")
        graph = onnx.load(model, load_external_data=False).graph
        outputs = {output.name for output in graph.output}
        tolerance = {}
        if os.path.exists(os.path.join(folder, "tolerance.json")):
            with open(os.path.join(folder, "tolerance.json")) as file:
                tolerance = json.load(file)
        for case in entry["cases"]:
            # Of the types of these levels, only bf16 comes as unsigned integers.
            arrays = {name: value.view(ml_dtypes.bfloat16) if value.dtype == np.uint16 else value
                      for name, value in np.load(os.path.join(folder, case)).items()}
            inputs = {name: value for name, value in arrays.items() if name not in outputs}
            expected = {name: value for name, value in arrays.items() if name in outputs}
            yield f"{entry['name']}/{case}", model, inputs, expected, tolerance


@functools.cache
def supported_operators(interpreter):
    text = subprocess.run([interpreter, "--list-operators"], capture_output=True, text=True, check=True).stdout
    return set(text.split())


def casts_to_known_type(node):
    import onnx

    targets = [a.i for a in node.attribute if a.name == "to"] if node.op_type == "Cast" else []
    return all(onnx.helper.tensor_dtype_to_np_dtype(target) in NAMES for target in targets)


def is_supported(options, graph, values):
    names = supported_operators(options.interpreter)
    known = all(
        node.op_type in names and node.domain in ("", "ai.onnx") and casts_to_known_type(node) for node in graph.node
    )
    return known and all(isinstance(v, (np.ndarray, np.generic)) and v.dtype in NAMES for v in values)


def arrays_of(values):
    import onnx

    return [onnx.numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else v for v in values]


def tensor_test(name, path, graph, given, expected, tolerance):
    initializers = {initializer.name for initializer in graph.initializer}
    fed = [value.name for value in graph.input if value.name not in initializers]
    inputs = dict(zip(fed, given))
    outputs = {value.name: np.asarray(array) for value, array in zip(graph.output, expected)}
    return name, path, inputs, outputs, tolerance


def node_tests(options, scratch):
    import onnx
    from onnx.backend.test.case.node import collect_testcases

    for test in collect_testcases(None):
        if options.names and not any(re.search(pattern, test.name) for pattern in options.names):
            continue
        for given, expected in test.data_sets:
            given, expected = arrays_of(given), arrays_of(expected)
            if not is_supported(options, test.model.graph, given + expected):
                continue
            path = os.path.join(scratch, test.name + ".onnx")
            onnx.save(test.model, path)
            # The tests' own tolerances leave no room for another place to round to f16.
            types = {NAMES[value.dtype] for value in expected}
            tolerance = {} if types & {"f16", "bf16"} else {"rtol": test.rtol, "atol": max(test.atol, 1e-6)}
            yield tensor_test(test.name, path, test.model.graph, given, expected, tolerance)


def folder_tests(options):
    import onnx

    for root in options.folders:
        for path in sorted(glob.glob(os.path.join(root, "**", "model.onnx"), recursive=True)):
            model = onnx.load(path)
            for data in sorted(glob.glob(os.path.join(os.path.dirname(path), "test_data_set_*"))):
                read = lambda kind, count: arrays_of(
                    onnx.load_tensor(os.path.join(data, f"{kind}_{i}.pb")) for i in range(count)
                )
                given = read("input", len(glob.glob(os.path.join(data, "input_*.pb"))))
                expected = read("output", len(model.graph.output))
                if is_supported(options, model.graph, given + expected):
                    name = os.path.basename(os.path.dirname(path))
                    yield tensor_test(name, path, model.graph, given, expected, {})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interpreter", required=True)
    parser.add_argument("--passes", default="", help="pass pipeline to run on level 2")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=300)
    kinds = parser.add_subparsers(dest="kind", required=True)
    cases = kinds.add_parser("cases")
    cases.add_argument("folder")
    cases.add_argument("names", nargs="*")
    node = kinds.add_parser("node-tests")
    node.add_argument("--refused", type=argparse.FileType())
    node.add_argument("names", nargs="*")
    kinds.add_parser("folders").add_argument("folders", nargs="+")
    options = parser.parse_args()

    refusals = json.load(options.refused) if getattr(options, "refused", None) else {}
    failures, count = [], 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tests = {
            "cases": lambda: recorded_cases(options),
            "node-tests": lambda: node_tests(options, scratch),
            "folders": lambda: folder_tests(options),
        }[options.kind]()
        running = [(name, pool.submit(check_case, options, *rest)) for name, *rest in tests]
        for name, future in running:
            problem = judge(future.result(), refusals.get(name))
            count += 1
            if problem:
                failures.append(name)
                print(f"FAIL {name}: {problem[:500]}")
            elif options.kind == "cases":
                print(f"ok   {name}")
    print(f"{count - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
