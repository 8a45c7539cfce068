"""The test command's driver: runs every suite and counts single tests.

Usage: python test/run.py [--quick|--default|--full] [SUITE...]   (scripts/test.sh sets up and builds first)
"""

import sys

from suites import (accuracy, cases, common, cuda, gtest, hygiene, lit, models, mutations, official, operators, random_graphs,
                    sanitizers, sass)

# Models come before the mutations of their schedules.
SUITES = {
    "hygiene": hygiene,
    "lit": lit,
    "operators": operators,
    "unit": gtest,
    "sass": sass,
    "accuracy": accuracy,
    "cases": cases,
    "models": models,
    "mutations": mutations,
    "cuda": cuda,
    "official": official,
    "random": random_graphs,
    "sanitizers": sanitizers,
}


def main(arguments):
    modes = [a for a in arguments if a.startswith("--")]
    names = [a for a in arguments if not a.startswith("--")]
    mode = modes[0].lstrip("-") if modes else common.DEFAULT
    unknown = [name for name in names if name not in SUITES]
    if len(modes) > 1 or mode not in (common.QUICK, common.DEFAULT, common.FULL) or unknown:
        sys.exit(__doc__)
    totals = common.Totals()
    for name in names or SUITES:
        SUITES[name].run(totals, mode)
    print(f"{totals.passed} passed, {totals.failed} failed, {totals.skipped} skipped")
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
