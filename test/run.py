"""Runs every test suite and counts single tests. Called by scripts/test.sh, which says what the modes are."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, name, passed, failed, skipped, seconds, output=""):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped
        print(f"{name}: {passed} passed, {failed} failed, {skipped} skipped ({seconds:.0f} s)", flush=True)
        if failed:
            print(output, flush=True)


def run(command, **kwargs):
    start = time.time()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **kwargs)
    return done, time.time() - start


def lit(totals, build):
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        done, seconds = run(["lit-22", "-v", "-q", "-o", report.name, os.path.join(build, "test", "lit")])
        codes = [test["code"] for test in json.load(open(report.name))["tests"]]
    passed = sum(code in ("PASS", "XFAIL") for code in codes)
    skipped = sum(code == "UNSUPPORTED" for code in codes)
    totals.add("lit", passed, len(codes) - passed - skipped, skipped, seconds, done.stdout)


def google_tests(totals, build):
    folder = os.path.join(build, "bin")
    for name in sorted(os.listdir(folder)):
        if not name.endswith("-tests"):
            continue
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            done, seconds = run([os.path.join(folder, name), f"--gtest_output=json:{report.name}"])
            text = open(report.name).read()
        if not text:
            totals.add(name, 0, 1, 0, seconds, done.stdout)
            continue
        tests = [test for suite in json.loads(text)["testsuites"] for test in suite["testsuite"]]
        failed = sum("failures" in test for test in tests)
        skipped = sum(test["result"] == "SKIPPED" for test in tests)
        if done.returncode and not failed:
            failed = 1
        totals.add(name, len(tests) - failed - skipped, failed, skipped, seconds, done.stdout)


def main():
    build = os.path.join(ROOT, "build", "release")
    totals = Totals()
    lit(totals, build)
    google_tests(totals, build)
    print(f"{totals.passed} passed, {totals.failed} failed, {totals.skipped} skipped")
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
