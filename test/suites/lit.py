"""The lit tests of the IR and of the command line."""

import json
import os
import tempfile
import time

from . import common


def run(totals, mode):
    start = time.time()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        done = common.run(["lit-22", "-v", "-q", "-o", report.name, os.path.join(common.BIN.parent, "test", "lit")])
        with open(report.name) as stream:
            codes = [test["code"] for test in json.load(stream)["tests"]]
    passed = sum(code in ("PASS", "XFAIL") for code in codes)
    skipped = sum(code == "UNSUPPORTED" for code in codes)
    totals.add("lit", passed, len(codes) - passed - skipped, skipped, time.time() - start, done.stdout)
