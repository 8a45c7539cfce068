"""Formatted sources, comments and includes in order, a small mk-run without the compiler's libraries, README commands
that work."""

import json
import os
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


def sources():
    return subprocess.run(["git", "ls-files", "*.cpp", "*.h", "*.hpp", "*.c", "*.cuh"], cwd=common.ROOT, check=True,
                          capture_output=True, text=True).stdout.split()


def check_format(_):
    done = common.run(["clang-format-22", "--dry-run", "-Werror", *sources()], cwd=common.ROOT)
    return done.stdout[-4000:] if done.returncode else ""


def check_comments(_):
    """The formatter wraps long lines of block comments without a star, and breaks rulers."""
    errors = []
    for file in sources():
        text = (common.ROOT / file).read_text()
        for block in re.finditer(r"^ */\*.*?\*/", text, re.S | re.M):
            first = text.count("\n", 0, block.start()) + 1
            lines = block.group().split("\n")
            errors += [f"{file}:{first + i}: a comment's line starts without a star"
                       for i, line in enumerate(lines) if i and not line.lstrip().startswith("*")]
            if lines[0].lstrip().startswith("/*===") and not lines[0].endswith(("===*", "===*/")):
                errors.append(f"{file}:{first}: a broken ruler")
        errors += [f"{file}:{text.count(chr(10), 0, ruler.start()) + 1}: a broken ruler"
                   for ruler in re.finditer(r"^//===-(?!.*===//$).*$", text, re.M)]
    return "\n".join(errors)


def layers():
    """The table of cmake/MkcLibrary.cmake: per folder, the folders that it may use."""
    table = (common.ROOT / "cmake" / "MkcLibrary.cmake").read_text()
    return {folder: used.split(";") for folder, used in re.findall(r'set\(MKC_MAY_USE_(\S+) "([^"]+)"\)', table)}


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def check_includes(_):
    """CMake checks what is linked; a header alone would get past it."""
    rows, errors = layers(), []
    outside = tuple(name.lower() + "/" for name in (*FORBIDDEN, "google", "lld"))
    for file in sources():
        row = max((folder for folder in rows if is_below(file, folder)), key=len, default=None)
        if row is None:
            continue  # Tools, tests and examples use what they like.
        for header in re.findall(r'^#include ["<]([^">]+)[">]', (common.ROOT / file).read_text(), re.M):
            path = "runtime/include/" + header if header.startswith("mkrt/") else header
            ours = (common.ROOT / path).exists() or (common.BIN.parent / path).exists()
            allowed = not ours or any(is_below(os.path.dirname(path), folder) for folder in rows[row])
            if not allowed or row.startswith("runtime/") and header.lower().startswith(outside):
                errors.append(f"{file} must not include {header}")
    return "\n".join(errors)


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


def check_figures(_):
    """The number of operators that the README states."""
    listed = len(json.loads(common.run([common.BIN / "mkc", "ops", "--json"]).stdout)["operators"])
    stated = re.search(r"(\d+) operators \(`mkc ops`\)", (common.ROOT / "README.md").read_text())
    if not stated:
        return "README.md does not state the number of operators beside `mkc ops`"
    return "" if int(stated[1]) == listed else f"README.md states {stated[1]} operators, `mkc ops` lists {listed}"


QUICK_CHECKS = {"figures": check_figures, "format": check_format, "comments": check_comments, "includes": check_includes, "mk-run": check_mk_run}
CHECKS = {**QUICK_CHECKS, "quickstart": check_quickstart, "README": check_readme}


def run(totals, mode):
    names = QUICK_CHECKS if mode == common.QUICK else CHECKS
    common.each(totals, "hygiene", names, lambda name: CHECKS[name](name))
