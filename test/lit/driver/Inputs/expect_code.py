# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the command argv[2:], which must end with the exit code argv[1]. Both its streams go to standard output."""
import subprocess
import sys

done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
sys.stdout.buffer.write(done.stdout)
if done.returncode != int(sys.argv[1]):
    print(f"exit code {done.returncode}, expected {sys.argv[1]}")
    sys.exit(1)
