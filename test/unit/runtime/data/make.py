"""Writes the files of this folder with numpy and onnx: python make.py"""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

os.chdir(os.path.dirname(os.path.abspath(__file__)))
ramp = np.arange(24).reshape(2, 3, 4)


def save(name, array, version=None):
    with open(name, "wb") as file:
        np.lib.format.write_array(file, array, version=version)


save("ramp-f32.npy", ramp.astype(np.float32))
save("ramp-i64-fortran.npy", np.asfortranarray(ramp.astype(np.int64)))
save("ramp-i16-v2.npy", ramp.astype(np.int16), (2, 0))
save("ramp-f64-v3.npy", ramp.astype(np.float64), (3, 0))
save("bools.npy", np.array([True, False, True]))
save("scalar-f16.npy", np.array(-1.5, np.float16))
save("empty-u8.npy", np.zeros((0, 5), np.uint8))
save("big-endian.npy", ramp.astype(">i4"))
np.savez("stored.npz", **{"a/b": ramp.astype(np.int32), "x": np.float32([1.5, -2])})
np.savez_compressed("deflated.npz", zeros=np.zeros((100, 100), np.float32), ramp=ramp)


def proto(name, tensor):
    with open(name, "wb") as file:
        file.write(tensor.SerializeToString())


proto("raw-f32.pb", numpy_helper.from_array(ramp.astype(np.float32), "ramp"))
proto("typed-f32.pb", helper.make_tensor("t", TensorProto.FLOAT, [3], [1.0, -2.5, 3.0]))
proto("typed-i64.pb", helper.make_tensor("t", TensorProto.INT64, [2, 2], [1, -2, 3, -(2**62)]))
proto("typed-bool.pb", helper.make_tensor("t", TensorProto.BOOL, [3], [1, 0, 1]))
proto("typed-f64.pb", helper.make_tensor("t", TensorProto.DOUBLE, [1], [0.1]))
proto("typed-u64.pb", helper.make_tensor("t", TensorProto.UINT64, [2], [2**63, 5]))
proto("typed-f16.pb", helper.make_tensor("t", TensorProto.FLOAT16, [2], [1.5, -0.25]))
proto("typed-bf16.pb", helper.make_tensor("t", TensorProto.BFLOAT16, [2], [1.5, -0.25]))
proto("typed-i4.pb", helper.make_tensor("t", TensorProto.INT4, [3], [-8, 7, -1]))
proto("strings.pb", helper.make_tensor("t", TensorProto.STRING, [1], [b"text"]))
