"""No operator, opset or type gets lost: `mkc ops` holds at least what test/operators.txt does.

After adding some, `build/release/bin/mkc ops > test/operators.txt` raises the floor.
"""

import time

from . import common

FLOOR = common.ROOT / "test" / "operators.txt"


def parse(text):
    """(domain, operator, opset) -> types, from the lines of `mkc ops`."""
    table = {}
    for line in text.splitlines():
        domain, op_type, opsets, *types = line.split()
        first, _, last = opsets.partition("-")
        for opset in range(int(first), int(last) + 1):
            table.setdefault((domain, op_type, opset), set()).update(types)
    return table


def lost(floor, now):
    """Per operator, the opsets that lost something and all types that one of them lost."""
    found = {}
    for (domain, op_type, opset), types in floor.items():
        missing = types - now.get((domain, op_type, opset), set())
        if missing:
            opsets, names = found.setdefault((domain, op_type), ([], set()))
            opsets.append(opset)
            names |= missing
    return [f"{domain} {op_type}: opsets {opsets[0]} to {opsets[-1]} have lost {' '.join(sorted(names))}"
            for (domain, op_type), (opsets, names) in found.items()]


def run(totals, mode):
    start = time.time()
    listed = common.run([common.BIN / "mkc", "ops"])
    if listed.returncode:
        totals.add("operators", 0, 1, 0, time.time() - start, listed.stdout)
        return
    floor, now = parse(FLOOR.read_text()), parse(listed.stdout)
    errors = lost(floor, now)
    operators = {key[:2] for key in floor}
    if added := lost(now, floor):
        print(f"  {len(added)} operators have opsets or types that {FLOOR.name} does not hold yet", flush=True)
    totals.add("operators", len(operators) - len(errors), len(errors), 0, time.time() - start, "\n".join(errors))
