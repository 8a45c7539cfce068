#!/usr/bin/env bash
# Sets up, builds and runs the tests. Usage: scripts/test.sh [--quick|--full]
# Ends with "N passed, N failed, N skipped"; exit status 1 if anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
scripts/build.sh release
exec .venv/bin/python test/run.py "${1:---default}"
