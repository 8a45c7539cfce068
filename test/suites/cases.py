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


# Types in index.json that level 2 lacks, with ONNX's names.
TYPES = {"f16": "float16", "bf16": "bfloat16", "f64": "double", "i4": "int4", "u4": "uint4", "i8": "int8", "u8": "uint8",
         "i16": "int16", "u16": "uint16", "u32": "uint32", "u64": "uint64", "str": "string"}


def operators():
    """Known operators, and names of known types."""
    listed = json.loads(common.run([common.BIN / "mkc", "ops", "--json"]).stdout)["operators"]
    return {(op["domain"], op["op_type"]) for op in listed}, {name for op in listed for name in op["types"]}


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
    operators, types = known
    refused_types = {item["type"] for item in named}
    missing = [name for name in (TYPES.get(name) for name in entry["types"])
               if name and name not in types and name not in refused_types]
    for name in entry["ops"]:
        domain, _, op_type = name.rpartition(":")
        if (domain, op_type) not in operators and (domain, op_type) not in refused:
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
