"""Prints what Magika says about files: compiled by mkc, and run by ONNX Runtime.

Usage: python compare.py FILE_TYPE_BINARY PACKAGE MODEL_FOLDER FILE...   (exit status 1 if they differ)
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnxruntime


def features(config, content):
    first = content[: config["block_size"]].lstrip()[: config["beg_size"]]
    last = content[-config["block_size"] :].rstrip()[-config["end_size"] :]
    padding = config["padding_token"]
    begin = list(first) + [padding] * (config["beg_size"] - len(first))
    end = [padding] * (config["end_size"] - len(last)) + list(last)
    return np.array([begin + end], np.int32)


def main(binary, package, folder, files):
    folder = pathlib.Path(folder)
    config = json.loads((folder / "config.json").read_text())
    command = [binary, package, str(folder / "config.json"), *files]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    session = onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
    same = True
    print(f"{'file':36} {'mkc':>20} {'ONNX Runtime':>20}")
    for line in lines:
        file, label, probability = line.split("\t")
        scores = session.run(None, {"bytes": features(config, pathlib.Path(file).read_bytes())})[0][0]
        best = int(scores.argmax())
        expected = config["target_labels_space"][best]
        same = same and expected == label and abs(scores[best] - float(probability)) < 1e-3
        print(f"{file:36} {label:>12} {float(probability):7.4f} {expected:>12} {scores[best]:7.4f}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
