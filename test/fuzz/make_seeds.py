# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a seed corpus for a fuzz target.

    python test/fuzz/make_seeds.py import corpus      # the small models of onnx's own tests
    python test/fuzz/make_seeds.py tensors corpus     # the data of the readers' unit tests
    python test/fuzz/make_seeds.py package corpus     # replaced sections, one by one and all together
    build/fuzz/bin/fuzz-import corpus

fuzz-package has its sample built in: its inputs are edits of it (the form is in package.cpp).
"""
import pathlib
import sys
import warnings

MAX_BYTES = 4096
DATA = pathlib.Path(__file__).resolve().parents[1] / "unit" / "runtime" / "data"
PACKAGE_CONTENT, PACKAGE_SECTIONS = 1, 15  # the edit that replaces a section's content; how many there are
FORMATS = {".npy": 0, ".pb": 1, ".npz": 2}  # the first byte of an input of fuzz-tensors


def import_seeds():
    import onnx.backend.test.case.node as node_cases

    warnings.filterwarnings("ignore")
    for case in node_cases.collect_testcases(None):
        yield case.name, case.model.SerializeToString() if case.model else b""


def tensors_seeds():
    for path in sorted(DATA.iterdir()):
        if path.suffix in FORMATS:
            yield path.name, bytes([FORMATS[path.suffix]]) + path.read_bytes()


def package_seeds():
    replaced = [bytes([PACKAGE_CONTENT, section, 64, 0]) + bytes(64) for section in range(PACKAGE_SECTIONS)]
    for section, data in enumerate(replaced):
        yield f"section-{section}", data
    yield "all-sections", b"".join(replaced)


SEEDS = {"import": import_seeds, "tensors": tensors_seeds, "package": package_seeds}


def main(target, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for name, data in SEEDS[target]():
        if 0 < len(data) <= MAX_BYTES:
            (folder / name).write_bytes(data)
            written += 1
    print(f"{written} seeds in {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in SEEDS:
        sys.exit(__doc__)
    main(*sys.argv[1:])
