#!/usr/bin/env bash
# Configures and builds a preset. Usage: scripts/build.sh [PRESET] [TARGET...]; binaries in build/PRESET/bin/.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
[ $# -gt 0 ] && shift
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset"
cmake --build --preset "$preset" ${1:+--target "$@"}
