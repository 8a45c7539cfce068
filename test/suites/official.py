"""The official ONNX tests (pinned onnx) whose operators and types exist, as folders through `mkc verify`."""

import pathlib
import time

import onnx

from . import common

GENERATED = common.ROOT / "build" / f"onnx-node-tests-{onnx.__version__}"


def generate():
    """The node tests are made by onnx itself, once."""
    if (GENERATED / "done").exists():
        return ""
    done = common.run([common.sys.executable, "-W", "ignore", common.ROOT / "test" / "generate_node_tests.py", GENERATED],
                      timeout=900)
    if done.returncode == 0:
        (GENERATED / "done").touch()
    return "" if done.returncode == 0 else done.stdout[-3000:]


def folders():
    shipped = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
    found = list(GENERATED.glob("*/model.onnx"))
    for kind in ("simple", "pytorch-converted", "pytorch-operator"):
        found += shipped.glob(f"{kind}/*/model.onnx")
    return sorted(path.parent for path in found)


def check(folder, unsupported):
    done = common.run([common.BIN / "mkc", "verify", folder, "--json"], timeout=120)
    if done.returncode == 2 and ("unsupported" in done.stdout or "not supported" in done.stdout):
        unsupported.append(folder.name)
        return ""
    return "" if done.returncode == 0 else f"exit code {done.returncode}: {done.stdout[-600:]}"


def run(totals, mode):
    if mode == common.QUICK:
        return
    start = time.time()
    error = generate()
    if error:
        totals.add("official tests", 0, 1, 0, time.time() - start, error)
        return
    unsupported, every = [], folders()
    outcomes = common.Totals(silent=True)
    common.each(outcomes, "", every, lambda folder: check(folder, unsupported))
    print(f"  {len(unsupported)} more need operators or types that do not exist yet", flush=True)
    totals.add("official tests", outcomes.passed - len(unsupported), outcomes.failed, 0, time.time() - start,
               outcomes.output)
