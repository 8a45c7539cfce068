"""GoogleTest binaries: each test of each binary counts."""

import json
import os
import tempfile
import time

from . import common


def run_binary(totals, binary, prefix, variables):
    start = time.time()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        done = common.run([binary, f"--gtest_output=json:{report.name}"], timeout=1800, variables=variables)
        with open(report.name) as stream:
            text = stream.read()
    seconds = time.time() - start
    if not text:
        totals.add(prefix + binary.name, 0, 1, 0, seconds, done.stdout)
        return
    tests = [test for suite in json.loads(text)["testsuites"] for test in suite["testsuite"]]
    failed = sum("failures" in test for test in tests)
    skipped = sum(test["result"] == "SKIPPED" for test in tests)
    if done.returncode != 0 and not failed:
        failed = 1  # a sanitizer's report, or a crash at the end
    totals.add(prefix + binary.name, len(tests) - failed - skipped, failed, skipped, seconds, done.stdout)


def run_folder(totals, folder, prefix="", variables=None):
    """Every *-tests of a folder; a folder without one is a failure."""
    names = sorted(name for name in os.listdir(folder) if name.endswith("-tests")) if folder.is_dir() else []
    if not names:
        totals.add(f"{prefix}unit tests", 0, 1, 0, 0, f"{folder} holds no *-tests: build them first")
    for name in names:
        run_binary(totals, folder / name, prefix, variables)


def run(totals, mode):
    run_folder(totals, common.BIN)
