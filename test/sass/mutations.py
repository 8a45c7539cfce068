"""Text of a good program made bad: what the library, not an emitted module, could get wrong. Each mutation maps the lines
of a disassembly to others, and names the complaint that must follow."""

import re


def drop(pattern):
    return lambda lines: [line for line in lines if not re.search(pattern, line)]


def replace(pattern, by):
    return lambda lines: [re.sub(pattern, by, line) for line in lines]


def insert_after(pattern, opcode):
    """Puts an instruction behind each line that matches."""
    def change(lines):
        result = []
        for line in lines:
            result.append(line)
            if re.search(pattern, line):
                result.append(f"        /*ffff*/                   {opcode} ;")
        return result
    return change


MUTATIONS = {
    "acquire without invalidation": (drop(r"CCTL\.IVALL"), "no acquire"),
    "relaxed poll": (replace(r"STRONG\.GPU(.*CCTL)?", "EL"), "no acquire"),
    "release without barrier": (drop(r"MEMBAR\.(ALL|SC)\.GPU"), "reduction without a release"),
    "records overlap": (drop(r"BAR\.SYNC.* 0x1\b"), "no barrier of the consumers between records"),
    "no signal": (drop(r"REDG?\.E\.ADD"), "no reduction on a counter"),
    "no copy of weights": (drop(r"UBLKCP|LDGSTS"), "k2_load: no copy"),
    "other copies": (lambda lines: [swap_copies(line) for line in lines], "wrong kind of copy"),
    "read-only activations": (replace(r"LDG\.E\.128 ", "LDG.E.128.CONSTANT "), "read-only load outside"),
    "spill in a loop": (insert_after(r"HMMA", "STL [R1], R4"), "spill in a loop"),
    "many saves": (insert_after(r"BAR\.SYNC", " ;\n        /*fffe*/   ".join(["STL [R1], R4"] * 200)), "saves and restores"),
    "many registers": (insert_after(r"HMMA", "MOV R200, R4"), "201 registers, the budget is 168"),
}
# On rows with bulk copies only.
BULK_MUTATIONS = {
    "barriers unseen by copies": (drop(r"FENCE\.VIEW\.ASYNC\.S"), "no proxy fence"),
    "call of a helper": (insert_after(r"HMMA", "CALL.ABS.NOINC `(__cuda_sm70_warpsync)"), "call: CALL"),
}


def swap_copies(line):
    if "UBLKCP" in line:
        return line.replace("UBLKCP.S.G", "LDGSTS.E.BYPASS.128")
    return line.replace("LDGSTS.E.BYPASS.128", "UBLKCP.S.G")


def mutations(target):
    return {**MUTATIONS, **(BULK_MUTATIONS if target["bulk"] else {})}
