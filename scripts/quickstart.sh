#!/usr/bin/env bash
# From a fresh clone to a real model running as one program: installs what is missing, builds, compiles
# Magika, checks it against ONNX Runtime, and asks it what the files of this repository are.
# Usage: scripts/quickstart.sh
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
scripts/build.sh release mkc file_type
.venv/bin/python scripts/fetch_models.py magika
bin=build/release/bin
package=build/magika.mkp

echo "== mkc compile: model.onnx -> one package"
"$bin/mkc" compile .models/magika/model.onnx --dim bytes:0=1 -o "$package"

echo "== mkc verify: against ONNX Runtime, on the same inputs"
MKC_PYTHON=.venv/bin/python "$bin/mkc" verify .models/magika/model.onnx --dim bytes:0=1 --vs=onnxruntime

echo "== mkc explain: what the program is made of"
"$bin/mkc" explain "$package"

echo "== file_type: what are the files of this repository?"
.venv/bin/python examples/file_type/compare.py "$bin/file_type" "$package" .models/magika \
  README.md LICENSE CMakeLists.txt CMakePresets.json scripts/setup.sh scripts/fetch_models.py \
  runtime/format/Record.h dialects/nn/Nn.cpp .models/magika/model.onnx "$package"
