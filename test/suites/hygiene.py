"""What the build leaves: formatted sources, a small mk-run without the compiler's libraries, README commands that work."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from . import common

FORBIDDEN = ("LLVM", "MLIR", "protobuf", "onnx")
README_MODEL = "light-squeezenet"  # what the README's "model.onnx" stands for
MOST_BYTES = 2 * 1000 * 1000


def check_format(_):
    files = subprocess.run(["git", "ls-files", "*.cpp", "*.h", "*.hpp", "*.c"], cwd=common.ROOT, check=True,
                           capture_output=True, text=True).stdout.split()
    done = common.run(["clang-format-22", "--dry-run", "-Werror", *files], cwd=common.ROOT)
    return done.stdout[-4000:] if done.returncode else ""


def check_mk_run(_):
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "mk-run"
        shutil.copy(common.BIN / "mk-run", stripped)
        subprocess.run(["strip", stripped], check=True)
        size = stripped.stat().st_size
    if size >= MOST_BYTES:
        return f"mk-run has {size} bytes stripped, more than {MOST_BYTES}"
    libraries = common.run(["ldd", common.BIN / "mk-run"]).stdout
    found = [name for name in FORBIDDEN if name.lower() in libraries.lower()]
    return f"mk-run is linked with {', '.join(found)}" if found else ""


def check_quickstart(_):
    done = common.run(["bash", common.ROOT / "scripts" / "quickstart.sh"], timeout=1800)
    return f"exit code {done.returncode}: {done.stdout[-3000:]}" if done.returncode else ""


def check_readme(_):
    """Each command in a `sh` block of the README, with a model that the tests have."""
    if error := common.fetch_models(README_MODEL):
        return error
    text = (common.ROOT / "README.md").read_text()
    for block in re.findall(r"```sh\n(.*?)```", text, re.S):
        for line in block.strip().splitlines():
            if line.startswith("scripts/"):
                continue  # run by check_quickstart, and by whoever runs this
            line = line.replace("model.onnx", f".models/{README_MODEL}/model.onnx").replace("--dim batch=1 ", "")
            done = common.run(["bash", "-c", line], cwd=common.ROOT, timeout=600)
            if done.returncode:
                return f"{line}: exit code {done.returncode}: {done.stdout}"
    return ""


CHECKS = {"format": check_format, "mk-run": check_mk_run, "quickstart": check_quickstart, "README": check_readme}


def run(totals, mode):
    names = [name for name in CHECKS if mode != common.QUICK or name in ("format", "mk-run")]
    common.each(totals, "hygiene", names, lambda name: CHECKS[name](name))
