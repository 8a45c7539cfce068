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

sys.path.insert(0, str(ROOT / "test"))
from suites.models import SHAPES  # the dims and ranges of the tests, too

MODELS = json.loads((ROOT / "scripts" / "models.json").read_text())


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
    print("| kernel, 1 thread | median, ms | fastest, ms | GFLOP/s of it | FMA peak beside it, GFLOP/s | share of it | ratio |")
    print("|---|---|---|---|---|---|---|")
    for model in sorted(folder.glob("*.onnx")):
        result = bench(model, 1, runs, [])
        # The peak is that of the fastest of some rounds, so it is compared with the fastest run.
        peak, latency = result["floor"]["gflops"], result["latency_ms"]
        fastest = result["gflops"] * latency["median"] / latency["min"]
        print(f"| {model.stem} | {latency['median']:.3f} | {latency['min']:.3f} | {fastest:.1f} | {peak:.1f} | "
              f"{100 * fastest / peak:.0f} % | {result['ratio']:.2f} |", flush=True)


def model_table(runs):
    print("\n| model | 1 thread, ms | ONNX Runtime | ratio | 2 threads, ms | ONNX Runtime | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name in MODELS:
        arguments, cells = SHAPES.get(name, [[]])[0], []
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
