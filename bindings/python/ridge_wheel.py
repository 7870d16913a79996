"""Builds the wheel, for pip (PEP 517): the module is Python alone, so nothing has to be fetched or compiled.

What the wheel says of itself is in pyproject.toml, whose [project] holds plain strings.
"""
# SPDX-License-Identifier: Apache-2.0
import base64
import hashlib
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = (HERE / "pyproject.toml").read_text().split("[project]")[1].split("\n[")[0]


def _stated(key):
    return re.search(rf'^{key} = "(.*)"$', PROJECT, re.M)[1]


def _folder():
    return f"{_stated('name').replace('-', '_')}-{_stated('version')}"


def _metadata():
    classifiers = re.findall(r'"([^"]* :: [^"]*)"', PROJECT)
    return "\n".join(["Metadata-Version: 2.1", f"Name: {_stated('name')}", f"Version: {_stated('version')}",
                      f"Summary: {_stated('description')}", "License: Apache-2.0",
                      f"Requires-Python: {_stated('requires-python')}",
                      *(f"Classifier: {c}" for c in classifiers), "Description-Content-Type: text/markdown", "",
                      (HERE / _stated("readme")).read_text()])


def _write(wheel_directory, files):
    name, info = f"{_folder()}-py3-none-any.whl", f"{_folder()}.dist-info"
    files = {**files, f"{info}/METADATA": _metadata().encode(),
             f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: ridge\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = f"{info}/RECORD"
    rows = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
            for path, data in files.items()]
    files[record] = "".join([*rows, f"{record},,\n"]).encode()
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # of 1980: the same files make the same wheel
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    module = HERE / "ridge"
    return _write(wheel_directory, {f"ridge/{p.relative_to(module)}": p.read_bytes() for p in sorted(module.rglob("*"))
                                    if p.suffix == ".py" or p.name == "py.typed"})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """pip install -e: a path to where the module lies."""
    return _write(wheel_directory, {"ridge_gpu.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("ridge's module is installed from ridge's tree")
