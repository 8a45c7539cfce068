"""What the assembler's output must look like (docs/cuda.md). Each check gives a list of complaints.

A target is a dict: name, bulk (has bulk copies), registers (budget).
"""

import re

# Saves and restores per entry point. On rows with bulk copies a task with few live registers needs none, one with 128
# accumulators 108. On the others ptxas calls a helper for each warp-level operation of a -dc function, so that no such
# function is a leaf.
MOST_SAVES = {True: 128, False: 256}
HELPERS = re.compile(r"__cuda_sm70_(warpsync|shflsync|votesync)")
MEMORY = re.compile(r"(LDG|LD|STG|ST|RED|REDG|ATOM|ATOMG|LDGSTS|UBLKCP)\b")


def is_task(name):
    return re.fullmatch(r"k\d+_(load|compute)", name) is not None


def read_only_loads(function, target):
    """The read-only path is for mk_load_weight alone, whose loads carry a prefetch of 128 bytes."""
    return [f"{function.name}: read-only load outside of mk_load_weight: {i}" for i in function.code
            if re.match(r"LDG?\.", i.opcode) and "CONSTANT" in i.opcode and "LTC128B" not in i.opcode]


def generic_accesses(function, target):
    """A plain dereference in a task: the wrappers know the state space, the compiler does not."""
    return [f"{function.name}: access without a wrapper: {i}" for i in function.code
            if is_task(function.name) and re.match(r"(LD|ST|ATOM|RED)(\.|$)", i.opcode)]


def spills_in_loops(function, target):
    inside = function.loops()
    return [f"{function.name}: spill in a loop: {function.code[i]}" for i in sorted(inside)
            if re.match(r"(STL|LDL)\b", function.code[i].opcode)]


def saves(function, target):
    count = sum(re.match(r"(STL|LDL)\b", opcode) is not None for opcode in function.opcodes())
    most = MOST_SAVES[target["bulk"]]
    return [f"{function.name}: {count} saves and restores, more than {most}"] if is_task(function.name) and count > most else []


def calls(function, target):
    """Task functions are leaves. CALL.REL to a label of the function itself is a jump."""
    if not is_task(function.name):
        return []
    return [f"{function.name}: call: {i}" for i in function.code
            if i.opcode.startswith("CALL") and not any(label in function.labels for label in i.labels)
            and not (HELPERS.search(i.text) and not target["bulk"])]


def registers(function, target):
    used = 1 + max((int(r) for i in function.code for r in re.findall(r"\bR(\d+)", i.text)), default=0)
    most = target["registers"]
    return [f"{function.name}: {used} registers, the budget is {most}"] if used > most else []


def copies(function, target):
    """Bulk copies where there are some, cp.async elsewhere, and one in each load function."""
    right, wrong = ("UBLKCP", "LDGSTS") if target["bulk"] else ("LDGSTS", "UBLKCP")
    found = [f"{function.name}: wrong kind of copy: {i}" for i in function.code if i.opcode.startswith(wrong)]
    if (function.name.endswith("_load") or function.name == "mk_main") and \
            not any(opcode.startswith(right) for opcode in function.opcodes()):
        found.append(f"{function.name}: no copy ({right})")
    return found


def barriers(function, target):
    """Tasks know the consumers' barrier (1) only."""
    return [f"{function.name}: barrier of all warps: {i}" for i in function.code
            if is_task(function.name) and i.opcode.startswith("BAR.SYNC") and not re.search(r"\b0x1\b", i.text)]


def record_barrier(function, target):
    """Of mk_main: the consumers synchronise before each record, in a loop."""
    if function.name != "mk_main":
        return []
    inside = function.loops()
    found = any(re.match(r"BAR\.SYNC", i.opcode) and re.search(r"\b0x1\b", i.text)
                for at, i in enumerate(function.code) if at in inside)
    return [] if found else ["mk_main: no barrier of the consumers between records"]


def acquires(function, target):
    """Of mk_main: a strong load is an acquire if the L1 is invalidated before the next access."""
    if function.name != "mk_main":
        return []
    for at, instruction in enumerate(function.code):
        if not re.match(r"LDG?\.E\.STRONG\.GPU", instruction.opcode):
            continue
        for later in function.code[at + 1:at + 16]:
            if later.opcode == "CCTL.IVALL":
                return []
            if MEMORY.match(later.opcode):
                break
    return ["mk_main: no acquire (LDG.STRONG.GPU, CCTL.IVALL) of a counter"]


def releases(function, target):
    """Of mk_main: each reduction on a counter comes after a device-wide barrier."""
    if function.name != "mk_main":
        return []
    adds = [at for at, opcode in enumerate(function.opcodes()) if re.match(r"REDG?\.E\.ADD.*STRONG\.GPU", opcode)]
    found = [f"mk_main: reduction without a release: {function.code[at]}" for at in adds
             if not any(re.match(r"MEMBAR\.(ALL|SC)\.GPU", opcode) for opcode in function.opcodes()[max(0, at - 16):at])]
    return found if adds else ["mk_main: no reduction on a counter"]


def barrier_fence(function, target):
    """Of mk_main: bulk copies see the barriers' initial values."""
    if function.name != "mk_main" or not target["bulk"]:
        return []
    return [] if "FENCE.VIEW.ASYNC.S" in function.opcodes() else ["mk_main: no proxy fence after mbarrier.init"]


ALL = [read_only_loads, generic_accesses, spills_in_loops, saves, calls, registers, copies, barriers, record_barrier, acquires, releases,
       barrier_fence]


def check(functions, target):
    return [complaint for function in functions.values() for rule in ALL for complaint in rule(function, target)]
