# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a model with another inference engine, for `mkc verify --vs` and `mkc bench --vs`.

Usage: python peer.py ENGINE MODEL.onnx THREADS (0: the engine's default)

Prints a line {"ok": true, ...} once the model is loaded. Then each line on standard input is a request, answered by one
line of JSON on standard output:

    {"inputs": "in.npz"}                                 loads inputs, by name
    {"run": 10}                                          runs and answers {"ok": true, "latencies_ms": [...]}
    {"outputs": "out.npz"}                               writes the last run's outputs

A failure is {"ok": false, "error": "..."}. In .npz files, types that numpy lacks are unsigned integers of their bits.
"""
import json
import sys
import time

import numpy as np

# Element types whose arrays come as the bits in unsigned integers: ONNX's number by the name that engines use.
BIT_TYPES = {"bfloat16": 16, "float8e4m3fn": 17, "float8e4m3fnuz": 18, "float8e5m2": 19, "float8e5m2fnuz": 20}


class OnnxRuntime:
    def __init__(self, model, threads):
        import onnxruntime

        self.runtime = onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        if threads:
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.names = [output.name for output in self.session.get_outputs()]
        self.version = "onnxruntime " + onnxruntime.__version__
        self.values = {}

    def load(self, arrays):
        make = self.runtime.OrtValue
        self.values = {}
        for info in self.session.get_inputs():
            if info.name not in arrays:
                continue
            array = np.asarray(arrays[info.name], order="C")  # ascontiguousarray gives scalars a dim
            bits = BIT_TYPES.get(info.type.removeprefix("tensor(").removesuffix(")"))
            if bits:
                value = make.ortvalue_from_numpy_with_onnx_type(array, bits)
            else:
                value = make.ortvalue_from_numpy(array)
            self.values[info.name] = value

    def run(self):
        self.results = self.session.run_with_ort_values(self.names, self.values)

    def outputs(self):
        arrays = {}
        for name, value in zip(self.names, self.results):
            kind = value.data_type().removeprefix("tensor(").removesuffix(")")
            if kind not in BIT_TYPES:
                arrays[name] = value.numpy()
                continue
            # The engine gives no numpy array of these types: take the bits through DLPack's memory.
            import ctypes

            dtype = np.uint16 if kind == "bfloat16" else np.uint8
            count = int(np.prod(value.shape()))
            buffer = (ctypes.c_char * (count * np.dtype(dtype).itemsize)).from_address(value.data_ptr())
            arrays[name] = np.frombuffer(buffer, dtype).reshape(value.shape()).copy()
        return arrays


class OpenVino:
    def __init__(self, model, threads):
        import openvino

        core = openvino.Core()
        config = {"PERFORMANCE_HINT": "LATENCY"}
        if threads:
            config["INFERENCE_NUM_THREADS"] = threads
        self.compiled = core.compile_model(model, "CPU", config)
        self.request = self.compiled.create_infer_request()
        self.names = [output.any_name for output in self.compiled.outputs]
        self.version = "openvino " + openvino.__version__

    def load(self, arrays):
        known = {name for port in self.compiled.inputs for name in port.names}
        self.values = {name: array for name, array in arrays.items() if name in known}

    def run(self):
        self.request.infer(self.values, share_inputs=True)

    def outputs(self):
        return {name: self.request.get_tensor(name).data.copy() for name in self.names}


ENGINES = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}


def answer(engine, request):
    if "inputs" in request:
        with np.load(request["inputs"]) as arrays:
            engine.load(dict(arrays))
        return {}
    if "run" in request:
        latencies = []
        for _ in range(request["run"]):
            start = time.perf_counter()
            engine.run()
            latencies.append((time.perf_counter() - start) * 1e3)
        return {"latencies_ms": latencies}
    # Names may hold what a member of an archive made by keyword arguments can't, such as "file".
    from numpy.lib import format as npy
    import zipfile

    with zipfile.ZipFile(request["outputs"], "w") as archive:
        for name, array in engine.outputs().items():
            with archive.open(name + ".npy", "w", force_zip64=True) as member:
                npy.write_array(member, np.asarray(array, order="C"), allow_pickle=False)
    return {}


def main(name, model, threads):
    # Engines print to standard output, which is for answers only.
    replies, sys.stdout = sys.stdout, sys.stderr

    def reply(**fields):
        print(json.dumps(fields), file=replies, flush=True)

    try:
        engine = ENGINES[name](model, int(threads))
    except Exception as error:
        # ONNX Runtime has few operators in bf16 for the CPU.
        lacking = "it has no kernel for the model: " if type(error).__name__ == "NotImplemented" else ""
        reply(ok=False, error=f"{lacking}{type(error).__name__}: {error}")
        return
    reply(ok=True, version=engine.version)
    for line in sys.stdin:
        try:
            reply(ok=True, **answer(engine, json.loads(line)))
        except Exception as error:
            reply(ok=False, error=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
