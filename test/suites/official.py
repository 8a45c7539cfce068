"""The official ONNX tests (pinned onnx) as folders through `mkc verify`.

Each passes or is refused. A refusal is right if all that it names is outside `mkc ops`, or if test/official_refusals.json
lists the test with the very error: a limit that the table of operators cannot say. A listed test that passes is an error
too, so the list shrinks as limits go.
"""

import json
import pathlib
import time

import onnx

from . import common, refusals

GENERATED = common.ROOT / "build" / f"onnx-node-tests-{onnx.__version__}"
LISTED = common.ROOT / "test" / "official_refusals.json"
LEAST_PASSED = 936  # of 1995; with it, no change of the table or of this suite turns tests off unseen


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


def check(folder, table, listed, passed):
    done = common.run([common.BIN / "mkc", "verify", folder, "--json"], timeout=120)
    limit = listed.get(folder.name)
    if done.returncode == 0:
        passed.append(folder.name)
        return f"passes now: take it out of {LISTED.name}" if limit else ""
    if done.returncode != 2:
        return f"exit code {done.returncode}: {done.stdout[-600:]}"
    if limit:
        return "" if limit in done.stdout else f"expected '{limit}': {done.stdout[-600:]}"
    return refusals.judge(table, done.stdout)


def check_list(listed, every, passed):
    """What is wrong with the list and the count, which no single test shows."""
    unknown = sorted(listed.keys() - {folder.name for folder in every})
    errors = [f"{LISTED.name} names {name}, which is no test of onnx {onnx.__version__}" for name in unknown]
    if passed < LEAST_PASSED:
        errors.append(f"{passed} of {len(every)} official tests pass, fewer than {LEAST_PASSED}")
    return errors


def run(totals, mode):
    if mode == common.QUICK:
        return
    start = time.time()
    error = generate()
    if error:
        totals.add("official tests", 0, 1, 0, time.time() - start, error)
        return
    table, listed, every, passed = refusals.Table(), json.loads(LISTED.read_text()), folders(), []
    outcomes = common.Totals(silent=True)
    common.each(outcomes, "", every, lambda folder: check(folder, table, listed, passed))
    print(f"  {len(every) - len(passed)} more are refused or fail, {len(listed)} of them for a listed limit", flush=True)
    errors = check_list(listed, every, len(passed))
    output = "\n".join(filter(None, [outcomes.output, *errors]))
    totals.add("official tests", len(passed), outcomes.failed + len(errors), 0, time.time() - start, output)
