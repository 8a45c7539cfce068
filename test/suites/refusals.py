"""What `mkc` may refuse: operators and types outside `mkc ops`, nothing else."""

import json

from . import common

START = '{"unsupported":'


class Table:
    """The operators of `mkc ops`."""

    def __init__(self):
        listed = common.run([common.BIN / "mkc", "ops", "--json"])
        self.rows = json.loads(listed.stdout)["operators"]
        self.types = {name for row in self.rows for name in row["types"]}

    def types_of(self, domain, op_type, opset):
        """The types that an operator takes at an opset; None if it isn't there."""
        for row in self.rows:
            if (row["domain"], row["op_type"]) == (domain, op_type) and row["first_opset"] <= opset <= row["last_opset"]:
                return row["types"]
        return None

    def is_outside(self, item):
        """Whether an entry of the JSON list names what the table lacks. A type with an operator that is no row is
        outside if no row has it."""
        types = self.types_of(item["domain"], item["op_type"], item["opset"])
        if not item["type"]:
            return types is None
        return item["type"] not in (self.types if types is None else types)


def named(output):
    """The entries that a refusal with --json lists, from among its diagnostics."""
    at = output.find(START)
    return json.JSONDecoder().raw_decode(output[at:])[0]["unsupported"] if at >= 0 else []


def judge(table, output):
    """An error text unless all that a refusal names is outside the table."""
    items = named(output)
    if not items:
        return f"refused without a list: {output[-600:]}"
    wrong = [item for item in items if not table.is_outside(item)]
    return f"refused, but in `mkc ops`: {json.dumps(wrong[:5])}" if wrong else ""
