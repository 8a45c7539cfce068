"""Mutants of the real models' schedules: each is refused by the verifier, or harmless by the oracle's word.

One that the reader of packages refuses says nothing of the verifier: it is printed, but neither passed nor failed.
"""

import concurrent.futures
import re
import time

from . import common
from .models import PACKAGES

COUNT = {common.QUICK: 40, common.DEFAULT: 1000, common.FULL: 10000}
WORDS = ("refused", "equivalent", "missed", "wrongly refused", "unreadable")


def mutate(package, count):
    return common.run([common.BIN / "mutate-packages", package, "--count", count], timeout=1800)


def run(totals, mode):
    packages = sorted(PACKAGES.glob("*.mkp"))
    if not packages:
        totals.add("mutants of real models", 0, 1, 0, 0, "no packages: the suite of real models comes first")
        return
    start = time.time()
    share = str(-(-COUNT[mode] // len(packages)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda package: mutate(package, share), packages))
    output = "".join(each.stdout for each in done)
    # The unchanged schedule is judged too, once per package.
    counts = {word: sum(int(n) for n in re.findall(rf"(\d+) {word}\b", output)) for word in WORDS}
    for package, each in zip(packages, done):
        print(f"  {package.stem}: " + each.stdout.strip().rpartition(".mkp: ")[2].partition(";")[0])
    print("  in all: " + ", ".join(f"{n} {word}" for word, n in counts.items()), flush=True)
    bad = counts["missed"] + counts["wrongly refused"]
    if not bad:
        bad = sum(each.returncode != 0 for each in done)  # a package or its own schedule was refused
    good = counts["refused"] + counts["equivalent"]
    totals.add("mutants of real models", good, bad, 0, time.time() - start, output)
