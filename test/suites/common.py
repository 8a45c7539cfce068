"""What the suites share."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "release" / "bin"
QUICK, DEFAULT, FULL = "quick", "default", "full"


class Totals:
    """Counts single tests; prints one line per suite, and what failed."""

    def __init__(self, silent=False):
        self.passed = self.failed = self.skipped = 0
        self.silent, self.output = silent, ""

    def add(self, name, passed, failed, skipped, seconds, output=""):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped
        self.output += output
        if self.silent:
            return
        print(f"{name}: {passed} passed, {failed} failed, {skipped} skipped ({seconds:.0f} s)", flush=True)
        if output and (failed or skipped):
            print(output.rstrip(), flush=True)


def run(command, timeout=None, variables=None, **kwargs):
    """Runs a command; stdout and stderr come together. A time-out is an exit code of None."""
    environment = dict(os.environ, MKC_PYTHON=sys.executable, **(variables or {}))
    try:
        return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=timeout, env=environment, **kwargs)
    except subprocess.TimeoutExpired as late:
        text = late.stdout or ""
        text = text.decode(errors="replace") if isinstance(text, bytes) else text
        return subprocess.CompletedProcess(command, None, text + f"\ntimed out after {timeout} s", "")


def fetch_models(*names):
    """Fetches real models (all of scripts/models.json without names) into .models/; error text or ""."""
    done = run([sys.executable, ROOT / "scripts" / "fetch_models.py", *names])
    return done.stdout if done.returncode else ""


def each(totals, name, items, check, workers=2):
    """Runs check(item) -> error text or "" for all items, some at a time; counts each as a test."""
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        errors = list(pool.map(check, items))
    failures = [f"{item}: {error.rstrip()}" for item, error in zip(items, errors) if error]
    totals.add(name, len(items) - len(failures), len(failures), 0, time.time() - start, "\n".join(failures))
