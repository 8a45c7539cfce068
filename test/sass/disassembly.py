"""Functions, control flow and loops of a cubin, from nvdisasm's text."""

import importlib.util
import pathlib
import re
import subprocess


def tool(name):
    """Path of nvdisasm or cuobjdump in the Python packages, or None."""
    spec = importlib.util.find_spec("nvidia")
    for place in spec.submodule_search_locations if spec else []:
        for path in sorted(pathlib.Path(place).glob(f"*/bin/{name}")):
            return path
    return None


class Instruction:
    """`text` has neither address nor comments; `opcode` no predicate."""

    def __init__(self, address, text):
        self.address, self.text = address, text
        words = text.split()
        self.predicate = words[0] if words[0].startswith("@") else None
        self.opcode = words[1] if self.predicate else words[0]
        self.labels = re.findall(r"\.L_\w+", text)

    def barrier(self):
        """The convergence barrier register of BSSY and BSYNC."""
        found = re.search(r"\bB\d+\b", self.text)
        return found and found[0]

    def __repr__(self):
        return f"{self.text} at {self.address:#x}"


class Function:
    """Code of one section, in order, and the index that each label stands at."""

    def __init__(self, name):
        self.name, self.code, self.labels = name, [], {}

    def opcodes(self):
        return [instruction.opcode for instruction in self.code]

    def successors(self, index, syncs=frozenset()):
        """Indices that may be executed after `index`. Labels outside of the function are no successors; calls return.
        `syncs` holds what BSSY has said before: (barrier register, index)."""
        instruction = self.code[index]
        following = [index + 1] if index + 1 < len(self.code) else []
        targets = self.targets(instruction)
        opcode = instruction.opcode.split(".")[0]
        if opcode == "BSSY":
            return following  # only says where BSYNC will go
        if opcode == "BSYNC":
            return [target for register, target in syncs if register == instruction.barrier()] or following
        if opcode in ("EXIT", "RET", "KILL"):
            return following if instruction.predicate else []
        if opcode in ("BRA", "BRX", "JMP", "JMX"):
            return targets + (following if self.conditional(instruction) else [])
        return following + targets  # also WARPSYNC.COLLECTIVE and local calls

    def targets(self, instruction):
        return [self.labels[label] for label in instruction.labels if self.labels.get(label, -1) in range(len(self.code))]

    def graph(self):
        """Successors of each reachable instruction. A barrier register serves many regions, so BSYNC goes only where the
        BSSYs that reach it say."""
        edges = [set() for _ in self.code]
        syncs = [frozenset() for _ in self.code]
        work, seen = [0] if self.code else [], {0}
        while work:
            index = work.pop()
            instruction, after = self.code[index], syncs[index]
            if instruction.opcode.startswith("BSSY"):
                kept = {pair for pair in after if pair[0] != instruction.barrier()}
                after = frozenset(kept | {(instruction.barrier(), target) for target in self.targets(instruction)})
            for successor in self.successors(index, after):
                edges[index].add(successor)
                if successor not in seen or not after <= syncs[successor]:
                    seen.add(successor)
                    syncs[successor] |= after
                    work.append(successor)
        return [sorted(after) for after in edges]

    @staticmethod
    def conditional(instruction):
        """BRA.DIV and BRA.U.ANY are; BRA with a predicate before or among its operands."""
        if instruction.predicate or re.match(r"BRA\.(DIV|CONV|U)", instruction.opcode):
            return True
        return instruction.opcode.startswith("BRA") and bool(re.search(r"\bU?P\d", instruction.text))

    def loops(self):
        """Indices inside a loop body: natural loops of the control flow graph. A cold block at the function's end that
        jumps back is none: what it jumps to does not dominate it."""
        count = len(self.code)
        next_of = self.graph()
        before = [[] for _ in range(count)]
        for i, after in enumerate(next_of):
            for s in after:
                before[s].append(i)
        dominator = immediate_dominators(next_of, before)
        inside = set()
        for i, after in enumerate(next_of):
            for head in after:
                if dominator[i] is not None and dominates(dominator, head, i):
                    inside |= loop_body(before, head, i)
        return inside


def immediate_dominators(next_of, before):
    """Cooper, Harvey and Kennedy: a fixed point in reverse postorder. None where nothing leads."""
    order, state, stack = [], {0}, [(0, iter(next_of[0]))] if next_of else []
    while stack:
        node, children = stack[-1]
        for child in children:
            if child not in state:
                state.add(child)
                stack.append((child, iter(next_of[child])))
                break
        else:
            order.append(node)
            stack.pop()
    number = {node: i for i, node in enumerate(order)}
    dominator = [None] * len(next_of)
    if order:
        dominator[0] = 0

    def meet(a, b):
        while a != b:
            while number[a] < number[b]:
                a = dominator[a]
            while number[b] < number[a]:
                b = dominator[b]
        return a

    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            known = [p for p in before[node] if dominator[p] is not None]
            new = known[0]
            for p in known[1:]:
                new = meet(new, p)
            if dominator[node] != new:
                dominator[node], changed = new, True
    return dominator


def dominates(dominator, a, b):
    while b != a and b != 0:
        b = dominator[b]
    return b == a


def loop_body(before, head, tail):
    body, work = {head, tail}, [tail] if tail != head else []
    while work:
        for p in before[work.pop()]:
            if p not in body:
                body.add(p)
                work.append(p)
    return body


def parse(text):
    """nvdisasm -c -> functions by name."""
    functions, current = {}, None
    for line in text.splitlines():
        if section := re.match(r"\s*\.section\s+\.text\.(\w+)", line):
            current = functions.setdefault(section[1], Function(section[1]))
        elif re.match(r"\s*\.section\s", line):
            current = None
        elif current is None:
            continue
        elif label := re.match(r"(\.L_\w+):", line):
            current.labels[label[1]] = len(current.code)
        elif code := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", line):
            current.code.append(Instruction(int(code[1], 16), re.sub(r"\s+", " ", code[2])))
    return functions


def disassemble(cubin):
    done = subprocess.run([tool("nvdisasm"), "-c", cubin], capture_output=True, text=True, check=True)
    return parse(done.stdout)


def registers_of(cubin, function):
    """What the header of a linked cubin says that a kernel needs per thread."""
    done = subprocess.run([tool("cuobjdump"), "-res-usage", cubin], capture_output=True, text=True, check=True)
    found = re.search(rf"Function {function}:\s+REG:(\d+)", done.stdout)
    return int(found[1])
