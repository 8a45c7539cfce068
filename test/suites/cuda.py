"""The CUDA text of real models: emitted, compiled, linked and disassembled, without a GPU. The rules are those of the suite
sass (docs/cuda.md)."""

import pathlib
import tempfile
import time

from . import common, models, sass
from .sass import checks, disassembly

TARGETS = {common.QUICK: ["sm_90a"], common.DEFAULT: ["sm_90a", "sm_120a"], common.FULL: sass.ALL}


def dims_of(name):
    """The options of the model's first shape that bind dims."""
    arguments = models.SHAPES.get(name, [[]])[0]
    return [part for i, part in enumerate(arguments) if part == "--dim" or (i and arguments[i - 1] == "--dim")]


def check(item, folder):
    name, target = item
    text = folder / f"{name}-{target}"
    model = common.ROOT / ".models" / name / "model.onnx"
    command = [common.BIN / "mkc", "compile", model, f"--target={target}", f"--emit-cuda={text}", *dims_of(name)]
    emitted = common.run(command, timeout=300)
    if emitted.returncode:
        return f"exit code {emitted.returncode}: {emitted.stdout}"
    modules = sorted(text.glob("k*.cu"))
    error, rows = sass.compile_modules(folder / "cache", text / "cubins", [target], modules)
    if error:
        return error
    cubin = text / "cubins" / target / "linked.cubin"
    complaints = checks.check(disassembly.disassemble(cubin), rows[target])
    return "\n".join(complaints[:10])


def run(totals, mode):
    if not disassembly.tool("nvdisasm") or not disassembly.tool("cuobjdump"):
        totals.add("CUDA text of real models", 0, 0, 1, 0,
                   "skipped: no nvdisasm or cuobjdump in Python's packages; scripts/setup.sh installs them")
        return
    names = ["magika", "light-squeezenet"] if mode == common.QUICK else sorted(models.names())
    start = time.time()
    if error := common.fetch_models(*names):
        totals.add("CUDA text of real models", 0, len(names), 0, time.time() - start, error)
        return
    items = [(name, target) for name in names for target in TARGETS[mode]]
    with tempfile.TemporaryDirectory() as folder:
        common.each(totals, "CUDA text of real models", items, lambda item: check(item, pathlib.Path(folder)))
