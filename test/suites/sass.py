"""The assembler's output of hand-written kernels for every architecture, without a GPU; and the checks themselves, on bad
modules and on damaged text, each of which must be refused for its reason."""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

from . import common

FOLDER = common.ROOT / "test" / "sass"
sys.path.insert(0, str(FOLDER))
import checks  # noqa: E402
import disassembly  # noqa: E402
import mutations  # noqa: E402

ALL = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_107a", "sm_120a"]
QUICK = ["sm_80", "sm_90a", "sm_120a"]


def compile_modules(cache, out, targets, modules, *options):
    """Cubins in `out`/target. Error text, and what the rows say of each target."""
    command = [common.BIN / "compile-modules", f"--target={','.join(targets)}", f"--out={out}", *options, *modules]
    done = common.run(command, variables={"MKC_CACHE_DIR": str(cache)})
    rows = {}
    for line in done.stdout.splitlines():
        if row := re.match(r"(sm_\w+) bulk=(\d) registers=(\d+)", line):
            rows[row[1]] = {"name": row[1], "bulk": row[2] == "1", "registers": int(row[3])}
    return done.stdout if done.returncode else "", rows


def assembly(cubin):
    return subprocess.run([disassembly.tool("nvdisasm"), "-c", cubin], capture_output=True, text=True, check=True).stdout


def check_good(out, target):
    """All rules hold, and the linked kernel keeps the row's registers."""
    cubin = out / target["name"] / "linked.cubin"
    complaints = checks.check(disassembly.disassemble(cubin), target)
    used = disassembly.registers_of(cubin, "mk_main")
    if used > target["registers"]:
        complaints.append(f"mk_main needs {used} registers, the budget is {target['registers']}")
    return "\n".join(complaints)


def check_refused(complaints, expected):
    if any(expected in complaint for complaint in complaints):
        return ""
    return f"expected a complaint with '{expected}', got: {complaints[:4] or 'none'}"


def check_bad_module(out, path, target):
    """The module compiles, and is refused for the reason in its first line."""
    expected = re.match(r"// refused: (.*)", path.read_text())[1]
    error, rows = compile_modules(out / "cache", out / path.stem, [target], [path])
    if error:
        return error
    functions = disassembly.disassemble(out / path.stem / target / "linked.cubin")
    return check_refused(checks.check(functions, rows[target]), expected)


def check_mutation(text, name, target):
    change, expected = mutations.mutations(target)[name]
    changed = "\n".join(change(text.splitlines()))
    if changed == text.rstrip("\n"):
        return "the mutation changes nothing"
    return check_refused(checks.check(disassembly.parse(changed), target), expected)


def run(totals, mode):
    if not disassembly.tool("nvdisasm") or not disassembly.tool("cuobjdump"):
        totals.add("sass", 0, 0, 1, 0, "skipped: no nvdisasm or cuobjdump in Python's packages; scripts/setup.sh installs them")
        return
    targets = QUICK if mode == common.QUICK else ALL
    start = time.time()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        modules = sorted((FOLDER / "kernels").glob("*.cu"))
        rows = {}
        for name, options in (("plain", []), ("traced", ["--trace"])):
            error, rows = compile_modules(out / "cache", out / name, targets, modules, *options)
            if error:
                totals.add("sass", 0, 1, 0, time.time() - start, error)
                return
        damage_targets = ["sm_90a"] if mode == common.QUICK else ["sm_80", "sm_90a"]
        good = [f"{name} {target}" for name in ("plain", "traced") for target in targets]
        common.each(totals, "sass", good, lambda item: check_good(out / item.split()[0], rows[item.split()[1]]))
        bad = [(path, target) for path in sorted((FOLDER / "bad").glob("*.cu")) for target in damage_targets]
        items = {f"{target}: {path.stem}": (path, target) for path, target in bad}
        common.each(totals, "sass of bad modules", list(items), lambda item: check_bad_module(out, *items[item]))
        damaged = []
        for target in damage_targets:
            text = assembly(out / "plain" / target / "linked.cubin")
            damaged += [(text, name, rows[target]) for name in mutations.mutations(rows[target])]
        items = {f"{target['name']}: {name}": (text, name, target) for text, name, target in damaged}
        common.each(totals, "sass of damaged text", list(items), lambda item: check_mutation(*items[item]))
