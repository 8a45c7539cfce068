import os
import subprocess

import lit.formats

config.name = "mkc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join(
    [config.mkc_bin, config.llvm_bin, config.environment["PATH"]]
)
python = os.environ.get("MKC_PYTHON") or os.path.join(config.mkc_source, ".venv", "bin", "python")
config.substitutions.append(("%python", python))
config.substitutions.append(("%source", config.mkc_source))
# Models for tests are written with the Python package onnx, and compared with the package onnxruntime.
for package in ("onnx", "onnxruntime"):
    try:
        subprocess.run([python, "-c", "import " + package], check=True, capture_output=True)
        config.available_features.add("python-" + package)
    except (OSError, subprocess.CalledProcessError):
        lit_config.note(f"{python} has no package {package}: tests that need it are skipped")
