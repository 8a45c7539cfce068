# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a seed corpus for fuzz-import: the small models of onnx's own tests.

    python test/fuzz/make_seeds.py corpus
    build/fuzz/bin/fuzz-import corpus
"""
import os
import sys
import warnings

import onnx.backend.test.case.node as node_cases

MAX_BYTES = 4096


def main(folder):
    os.makedirs(folder, exist_ok=True)
    warnings.filterwarnings("ignore")
    written = 0
    for case in node_cases.collect_testcases(None):
        data = case.model.SerializeToString() if case.model else b""
        if 0 < len(data) <= MAX_BYTES:
            with open(os.path.join(folder, case.name), "wb") as file:
                file.write(data)
            written += 1
    print(f"{written} seeds in {folder}")


if __name__ == "__main__":
    main(sys.argv[1])
