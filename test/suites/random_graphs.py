"""Random graphs of mixed operators: results must be those of ONNX Runtime, the same for one thread and several."""

import time

from . import common

FOLDER = common.ROOT / "build" / "random-graphs"
SCRIPT = common.ROOT / "test" / "random_graphs.py"
COUNT = {common.QUICK: 20, common.DEFAULT: 60, common.FULL: 300}


def check(seed):
    done = common.run([common.BIN / "mkc", "verify", FOLDER / str(seed), "--threads=1,2,5"], timeout=120)
    return "" if done.returncode == 0 else f"exit code {done.returncode}: {done.stdout[-1000:]}"


def run(totals, mode):
    start = time.time()
    written = common.run([common.sys.executable, "-W", "ignore", SCRIPT, FOLDER, "0", str(COUNT[mode])], timeout=600)
    if written.returncode:
        totals.add("random graphs", 0, 1, 0, time.time() - start, written.stdout)
        return
    common.each(totals, "random graphs", range(COUNT[mode]), check)
