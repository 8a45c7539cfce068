"""Measures kernels and real models beside ONNX Runtime and prints the tables of docs/performance.md.

Usage: .venv/bin/python bench/run.py [--runs N]   (after scripts/build.sh; models from scripts/fetch_models.py)
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "release" / "bin"

# At the first shape of test/suites/models.py, with integers inside the models' vocabularies.
MODELS = {
    "magika": ["--dim", "bytes:0=1", "--input", "bytes=random:1:0:256"],
    "orientation": ["--dim", "x:0=1"],
    "ppocr2-cls": ["--dim", "x:0=1", "--dim", "x:2=48", "--dim", "x:3=192"],
    "ppocr6-rec": ["--dim", "x:0=1", "--dim", "x:3=320"],
    "rxnmap": ["--dim", "seq_len=64", "--input", "atoms=random:1:0:100", "--input", "neighbors=random:2:0:6",
               "--input", "distances=random:3:0:6", "--input", "roles=random:4:0:3"],
    "light-resnet50": [],
    "light-shufflenet": [],
    "light-squeezenet": [],
    "light-densenet121": [],
    "light-inception_v2": [],
}


def bench(model, threads, runs, arguments):
    command = [BIN / "mkc", "bench", model, f"--threads={threads}", f"--runs={runs}", "--vs=onnxruntime", "--json"]
    environment = dict(os.environ, MKC_PYTHON=sys.executable)
    done = subprocess.run(command + arguments, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{model}: {done.stderr}")
    return json.loads(done.stdout)


def kernel_table(runs):
    folder = ROOT / "build" / "bench"
    subprocess.run([sys.executable, ROOT / "bench" / "kernels.py", folder], check=True)
    print("| kernel | ms | GFLOP/s | share of the FMA peak measured in the same run | times as fast as ONNX Runtime |")
    print("|---|---|---|---|---|")
    for model in sorted(folder.glob("*.onnx")):
        result = bench(model, 1, runs, [])
        peak = result["floor"]["gflops"]
        print(f"| {model.stem} | {result['latency_ms']['median']:.3f} | {result['gflops']:.1f} | "
              f"{100 * result['gflops'] / peak:.0f} % of {peak:.1f} | {result['ratio']:.2f} |", flush=True)


def model_table(runs):
    print("\n| model | 1 thread, ms | ONNX Runtime | ratio | 2 threads, ms | ONNX Runtime | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name, arguments in MODELS.items():
        cells = []
        for threads in (1, 2):
            result = bench(ROOT / ".models" / name / "model.onnx", threads, runs, arguments)
            ours, ratio = result["latency_ms"]["median"], result["ratio"]
            cells += [f"{ours:.2f}", f"{ours * ratio:.2f}", f"{ratio:.2f}"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    options = parser.parse_args()
    kernel_table(options.runs)
    model_table(options.runs)
