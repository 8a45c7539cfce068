"""The runtime's tests under ThreadSanitizer, AddressSanitizer and UndefinedBehaviorSanitizer, and one minute of fuzzing
for each fuzz target."""

import os
import shutil
import tempfile
import time

from . import common, gtest

SECONDS = {common.DEFAULT: 60, common.FULL: 600}


def build(totals, preset, targets=()):
    start = time.time()
    done = common.run([common.ROOT / "scripts" / "build.sh", preset, *targets], timeout=3600)
    if done.returncode:
        totals.add(f"build of preset {preset}", 0, 1, 0, time.time() - start, done.stdout[-4000:])
    return done.returncode == 0


def fuzz(preset, name, seconds):
    """Runs one target on seeds of its own; the error text names the input that broke it."""
    work = tempfile.mkdtemp(prefix=f"fuzz-{name}-")
    corpus = os.path.join(work, "corpus")
    os.mkdir(corpus)
    if name == "import":
        seeds = common.run([common.sys.executable, common.ROOT / "test" / "fuzz" / "make_seeds.py", corpus])
        if seeds.returncode:
            return seeds.stdout
    done = common.run([common.ROOT / "build" / preset / "bin" / f"fuzz-{name}", corpus, f"-max_total_time={seconds}",
                       "-print_final_stats=1", "-rss_limit_mb=4096"], timeout=seconds + 300, cwd=work)
    if done.returncode:
        return f"exit code {done.returncode}; the input is in {work}\n{done.stdout[-4000:]}"
    shutil.rmtree(work)
    return ""


def run(totals, mode):
    if mode == common.QUICK:
        return
    for preset in ("tsan", "asan"):
        if build(totals, preset):
            gtest.run_folder(totals, common.ROOT / "build" / preset / "bin", f"{preset}: ")
    if build(totals, "fuzz", ["fuzz-import"]):
        targets = [("asan", "package"), ("asan", "tensors"), ("fuzz", "import")]
        common.each(totals, "fuzz targets", targets, lambda target: fuzz(*target, SECONDS[mode]))
