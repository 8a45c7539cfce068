# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models with types that only follow from others, and are not supported, into the folder argv[1]."""
import os
import sys

from onnx import parser

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
for name, graph in {
    # Nothing but Cast, ArgMax and Greater tells the types of these values.
    "chain": """g (float[n] x) => (float[n] z) {
  [cast] i = Cast<to = 6>(x)
  [abs] a = Abs(i)
  [sin] s = Sin(a)
  [cos] z = Cos(s)
}""",
    "kinds": """g (float[2, 8] x) => (float[2, 1] y, float[2, 8] z) {
  [index] i = ArgMax<axis = 1>(x)
  [exp] y = Exp(i)
  [greater] b = Greater(x, x)
  [relu] z = Relu(b)
}""",
    # All of these are supported.
    "fine": """g (float[2, 8] x) => (float[2, 8] y) {
  b = Greater(x, x)
  i = Cast<to = 7>(x)
  j = Cast<to = 1>(i)
  y = Where(b, j, x)
}"""}.items():
    with open(os.path.join(out, name + ".onnx"), "wb") as file:
        file.write(parser.parse_model('<ir_version: 8, opset_import: ["" : 17]>\n' + graph).SerializeToString())
