"""Real models (scripts/models.json) beside ONNX Runtime, at two input shapes where dims are dynamic.

Leaves each model's package in build/models/ for the mutation suite.
"""

import json

from . import common

PACKAGES = common.ROOT / "build" / "models"
# Options of each shape; integers stay in the models' vocabularies. Outside of them a model may have no digits to
# compare: magika takes E[x^2] - E[x]^2, and for bytes that are all 0 or 1 both engines are up to 5e-3 away from a float64
# evaluation and 5e-4 apart, against 2e-7 for bytes of 0 to 255.
SHAPES = {
    "magika": [["--dim", f"bytes:0={n}", "--input", "bytes=random:1:0:256"] for n in (1, 3)],
    "orientation": [["--dim", f"x:0={n}"] for n in (1, 2)],
    "ppocr2-cls": [["--dim", f"x:0={n}", "--dim", "x:2=48", "--dim", f"x:3={w}"] for n, w in ((1, 192), (2, 100))],
    "ppocr6-rec": [["--dim", f"x:0={n}", "--dim", f"x:3={w}"] for n, w in ((1, 320), (2, 96))],
    "rxnmap": [["--dim", f"seq_len={n}", "--input", "atoms=random:1:0:100", "--input", "neighbors=random:2:0:6",
                "--input", "distances=random:3:0:6", "--input", "roles=random:4:0:3"] for n in (64, 17)],
}


def tensors_bytes(explain):
    return json.loads(explain)["weight_bytes"]


def peak_memory(command):
    """Exit code, output and peak resident bytes of a command, measured in a process of its own."""
    script = ("import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]);"
              "print('peak', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024); sys.exit(code)")
    done = common.run([common.sys.executable, "-c", script, *command], timeout=600)
    lines = done.stdout.splitlines()
    return done.returncode, "\n".join(lines[:-1]), int(lines[-1].split()[1]) if lines else 0


def check_package(name, model, arguments):
    package = PACKAGES / f"{name}.mkp"
    dims = [part for i, part in enumerate(arguments) if part == "--dim" or (i and arguments[i - 1] == "--dim")]
    code, output, peak = peak_memory([common.BIN / "mkc", "compile", model, "-o", package, *dims])
    if code:
        return f"compile: exit code {code}: {output}"
    checked = common.run([common.BIN / "mkc", "check", package])
    if checked.returncode:
        return f"check: exit code {checked.returncode}: {checked.stdout}"
    weights = tensors_bytes(common.run([common.BIN / "mkc", "explain", package, "--json"]).stdout)
    limit = 3 * weights + 500 * 1000 * 1000
    return f"compiling takes {peak} bytes, more than {limit} for {weights} bytes of weights" if peak > limit else ""


def check(item):
    name, number = item
    model = common.ROOT / ".models" / name / "model.onnx"
    arguments = SHAPES.get(name, [[]])[number]
    done = common.run([common.BIN / "mkc", "verify", model, "--vs=onnxruntime", "--threads=1,2", *arguments], timeout=600)
    if done.returncode:
        return f"verify: exit code {done.returncode}: {done.stdout}"
    return check_package(name, model, arguments) if number == 0 else ""


def names():
    return list(json.loads((common.ROOT / "scripts" / "models.json").read_text()))


def run(totals, mode):
    models = json.loads((common.ROOT / "scripts" / "models.json").read_text())
    if error := common.fetch_models():
        totals.add("real models", 0, len(models), 0, 0, error)
        return
    PACKAGES.mkdir(parents=True, exist_ok=True)
    names = ["magika", "light-squeezenet"] if mode == common.QUICK else list(models)
    items = [(name, number) for name in names for number in range(len(SHAPES.get(name, [[]])))]
    common.each(totals, "real models", items, check)
