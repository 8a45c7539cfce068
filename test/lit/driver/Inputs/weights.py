# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model with a weight too large for the IR, and its outputs for zeros, into the folder argv[1]."""
import os
import sys

import numpy as np
from onnx import numpy_helper, parser

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
model = parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
g (float[batch, 200] x) => (float[batch, 100] y) { [product] y = Gemm(x, w, b) }""")
random = np.random.default_rng(0)
w = random.uniform(-1, 1, (200, 100)).astype(np.float32)
b = random.uniform(-1, 1, 100).astype(np.float32)
x = random.uniform(-1, 1, (3, 200)).astype(np.float32)
model.graph.initializer.extend([numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")])
with open(os.path.join(out, "weights.onnx"), "wb") as file:
    file.write(model.SerializeToString())
np.savez(os.path.join(out, "weights.npz"), x=x, y=x @ w + b)
