"""Mutants of the real models' schedules: each is refused by the verifier, or harmless by the oracle's word."""

import re
import time

from . import common
from .models import PACKAGES

COUNT = {common.QUICK: 40, common.DEFAULT: 1000, common.FULL: 10000}


def run(totals, mode):
    packages = sorted(PACKAGES.glob("*.mkp"))
    if not packages:
        totals.add("mutants of real models", 0, 1, 0, 0, "no packages: the suite of real models comes first")
        return
    start = time.time()
    share = -(-COUNT[mode] // len(packages))
    done = [common.run([common.BIN / "mutate-packages", package, "--count", str(share)], timeout=1800)
            for package in packages]
    output = "".join(each.stdout for each in done)
    # The unchanged schedule is judged too, once per package.
    counts = {word: sum(int(n) for n in re.findall(rf"(\d+) {word}\b", output))
              for word in ("refused", "equivalent", "missed", "wrongly refused", "unreadable")}
    print("  " + ", ".join(f"{n} {word}" for word, n in counts.items()), flush=True)
    bad = counts["missed"] + counts["wrongly refused"] + sum(each.returncode not in (0, 1) for each in done)
    good = counts["refused"] + counts["equivalent"] + counts["unreadable"]
    totals.add("mutants of real models", good, bad, 0, time.time() - start, output)
