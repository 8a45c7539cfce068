"""Recorded models of real exporters: the case folders of MKC_EXTRA_CASES.

Folders of levels 1 and 2 whose operators and types exist must pass at 1, 2 and 5 threads with the same bits in ten runs
each; every other folder passes, or is refused with all its unsupported operators and types named, and nothing else.
"""

import json
import os
import pathlib

from . import common, refusals

THREADS = "1,2,5"
RUNS = 10

# Types in index.json that level 2 lacks, with ONNX's names.
TYPES = {"f16": "float16", "bf16": "bfloat16", "f64": "double", "i4": "int4", "u4": "uint4", "i8": "int8", "u8": "uint8",
         "i16": "int16", "u16": "uint16", "u32": "uint32", "u64": "uint64", "str": "string"}


def is_supported(entry, table):
    """Whether a folder must pass: at level 1 anyway, at level 2 if the table has all of it."""
    return entry["level"] == "1" or (entry["level"] == "2" and not unnamed(entry, table, []))


def check_supported(folder):
    done = common.run([common.BIN / "mkc", "verify", folder, f"--threads={THREADS}", f"--runs={RUNS}"], timeout=300)
    return "" if done.returncode == 0 else f"exit code {done.returncode}: {done.stdout}"


def unnamed(entry, table, named):
    """What the index says that the folder has, the table lacks, and the refusal does not name."""
    operators = {(item["domain"], item["op_type"]) for item in named if not item["type"]}
    types = {item["type"] for item in named}
    missing = [name for name in (TYPES.get(name) for name in entry["types"])
               if name and name not in table.types and name not in types]
    for name in entry["ops"]:
        domain, _, op_type = name.rpartition(":")
        opset = entry["opset"].get(domain or "ai.onnx", 0)
        if table.types_of(domain, op_type, opset) is None and (domain, op_type) not in operators:
            missing.append(name)
    return missing


def check_other(folder, entry, table):
    done = common.run([common.BIN / "mkc", "verify", folder, "--json"], timeout=300)
    if done.returncode == 0:
        return ""
    if done.returncode != 2:
        return f"exit code {done.returncode}: {done.stdout}"
    if error := refusals.judge(table, done.stdout):
        return error
    missing = unnamed(entry, table, refusals.named(done.stdout))
    return f"unsupported, but not named: {', '.join(missing)}" if missing else ""


def run(totals, mode):
    folder = os.environ.get("MKC_EXTRA_CASES")
    if not folder:
        totals.add("cases", 0, 0, 1, 0, "skipped: MKC_EXTRA_CASES names no folder of cases")
        return
    folder = pathlib.Path(folder)
    index = {entry["name"]: entry for entry in json.loads((folder / "index.json").read_text())}
    table = refusals.Table()
    supported = [name for name in index if is_supported(index[name], table)]
    others = [name for name in index if name not in supported]
    if mode == common.QUICK:
        supported, others = supported[::6], others[::12]
    common.each(totals, "cases, supported", supported, lambda name: check_supported(folder / name))
    common.each(totals, "cases, other", others, lambda name: check_other(folder / name, index[name], table))
