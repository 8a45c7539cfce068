"""Recorded models of real exporters: the case folders of MKC_EXTRA_CASES.

Folders of level 1 must pass at 1, 2 and 5 threads with the same bits in ten runs each; every other folder passes, or is
refused with all its unsupported operators and types named.
"""

import json
import os
import pathlib

from . import common

THREADS = "1,2,5"
RUNS = 10


def operators():
    listed = json.loads(common.run([common.BIN / "mkc", "ops", "--json"]).stdout)
    return {(op["domain"], op["op_type"]) for op in listed["operators"]}


def check_supported(folder):
    done = common.run([common.BIN / "mkc", "verify", folder, f"--threads={THREADS}", f"--runs={RUNS}"], timeout=300)
    return "" if done.returncode == 0 else f"exit code {done.returncode}: {done.stdout}"


def check_other(folder, entry, known):
    done = common.run([common.BIN / "mkc", "verify", folder, "--json"], timeout=300)
    if done.returncode == 0:
        return ""
    if done.returncode != 2:
        return f"exit code {done.returncode}: {done.stdout}"
    text = done.stdout[done.stdout.index("{"):] if "{" in done.stdout else "{}"
    named = json.JSONDecoder().raw_decode(text)[0].get("unsupported", [])
    if not named:
        return f"refused without a list: {done.stdout}"
    refused = {(item["domain"], item["op_type"]) for item in named if not item["type"]}
    missing = []
    for name in entry["ops"]:
        domain, _, op_type = name.rpartition(":")
        if (domain, op_type) not in known and (domain, op_type) not in refused:
            missing.append(name)
    return f"unsupported, but not named: {', '.join(missing)}" if missing else ""


def run(totals, mode):
    folder = os.environ.get("MKC_EXTRA_CASES")
    if not folder:
        totals.add("cases", 0, 0, 1, 0, "skipped: MKC_EXTRA_CASES names no folder of cases")
        return
    folder = pathlib.Path(folder)
    index = {entry["name"]: entry for entry in json.loads((folder / "index.json").read_text())}
    level1 = [name for name in index if index[name]["level"] == "1"]
    others = [name for name in index if index[name]["level"] != "1"]
    if mode == common.QUICK:
        level1, others = level1[::6], others[::12]
    known = operators()
    common.each(totals, "cases, supported", level1, lambda name: check_supported(folder / name))
    common.each(totals, "cases, other", others, lambda name: check_other(folder / name, index[name], known))
