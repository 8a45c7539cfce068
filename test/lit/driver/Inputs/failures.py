# Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models that fail late into the folder argv[1]."""
import os
import sys

import numpy as np
from onnx import numpy_helper, parser

out = sys.argv[1]
os.makedirs(out, exist_ok=True)


def save(name, graph, **initializers):
    model = parser.parse_model('<ir_version: 8, opset_import: ["" : 18]>\n' + graph)
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in initializers.items())
    with open(os.path.join(out, name), "wb") as file:
        file.write(model.SerializeToString())


# Too many indices to be folded in the IR.
indices = np.zeros(20000, np.int64)
indices[-1] = 99
save("index.onnx", "g () => (float[20000] y) { [lookup] y = Gather(x, i) }",
     x=np.arange(10, dtype=np.float32), i=indices)
save("weights.onnx", "g (float[3, 200] x) => (float[3, 100] y) { y = MatMul(x, w) }",
     w=np.ones((200, 100), np.float32))
# The product has 4 TB, and both of its users need all of it.
save("arena.onnx", """g (float[1048576, 1] x, float[1, 1048576] z) => (float y) {
  c = MatMul(x, z)
  d = Softmax<axis = 0>(c)
  e = Softmax<axis = 1>(c)
  f = Sub(d, e)
  y = ReduceMax<keepdims = 0>(f)
}""")
np.savez(os.path.join(out, "arena.npz"), y=np.float32(0))
