# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interrupts the command argv[2:] once it has a peer's folder in the temporary folder argv[1]; prints how it ended."""
import os
import signal
import subprocess
import sys
import time

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
process = subprocess.Popen(sys.argv[2:], env=dict(os.environ, TMPDIR=folder))
deadline = time.monotonic() + 60


def peers():
    return [name for name in os.listdir(folder) if name.startswith("mkc-peer")]


while not peers() and process.poll() is None and time.monotonic() < deadline:
    time.sleep(0.01)
assert peers(), "no temporary folder"
process.send_signal(signal.SIGINT)
print("exit code", process.wait(60), "leaves", peers())
