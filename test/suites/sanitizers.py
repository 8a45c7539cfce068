"""The runtime's tests under ThreadSanitizer, AddressSanitizer and UndefinedBehaviorSanitizer, and one minute of fuzzing
for each fuzz target."""

import pathlib
import shutil
import tempfile
import time

from . import common, gtest

SECONDS = {common.DEFAULT: 60, common.FULL: 600}
# A tenth of the mutants: a sanitizer makes each ten times as slow.
VARIABLES = {"MKC_MUTANTS": "2000"}


def build(totals, preset, targets=()):
    start = time.time()
    done = common.run([common.ROOT / "scripts" / "build.sh", preset, *targets], timeout=3600)
    if done.returncode:
        totals.add(f"build of preset {preset}", 0, 1, 0, time.time() - start, done.stdout[-4000:])
    return done.returncode == 0


def fuzz(preset, name, seconds):
    """Runs one target on seeds of its own; the error text names the input that broke it."""
    work = pathlib.Path(tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
    corpus = work / "corpus"
    seeds = common.run([common.sys.executable, common.ROOT / "test" / "fuzz" / "make_seeds.py", name, corpus])
    if seeds.returncode:
        return seeds.stdout
    done = common.run([common.ROOT / "build" / preset / "bin" / f"fuzz-{name}", corpus, f"-max_total_time={seconds}",
                       "-timeout=25", "-rss_limit_mb=4096"], timeout=seconds + 300, cwd=work)
    if done.returncode:
        inputs = [str(path) for path in work.iterdir() if path != corpus] or [f"unknown, see {work}"]
        return f"exit code {done.returncode}; the input is {', '.join(inputs)}\n{done.stdout[-4000:]}"
    shutil.rmtree(work)
    return ""


def run(totals, mode):
    if mode == common.QUICK:
        return
    for preset in ("tsan", "asan"):
        if build(totals, preset):
            gtest.run_folder(totals, common.ROOT / "build" / preset / "bin", f"{preset}: ", VARIABLES)
    if build(totals, "fuzz", ["fuzz-import"]):
        targets = [("asan", "package"), ("asan", "tensors"), ("fuzz", "import")]
        common.each(totals, "fuzz targets", targets, lambda target: fuzz(*target, SECONDS[mode]))
