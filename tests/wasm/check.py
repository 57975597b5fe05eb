"""Runs the suite of stores, and what else needs no numpy, in WebAssembly: as in a browser, under node.

    python tests/wasm/check.py

Pyodide comes from npm, and pydantic's compiled core for it from PyPI. There is no numpy for it in either: what
works on chunks is tried by tests/test_threads.py and tests/codecs/test_missing_packages.py, without threads and packages.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import zom
from zom import v2, v3

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent
PYTHON, PLATFORM = "3.14", "pyemscripten_2026_0_wasm32"
"""What Pyodide 314 is."""

NEEDED = ("pydantic", "typing-extensions", "pytest", "hypothesis")
TESTS = ("tests/wasm/in_wasm.py", "tests/stores/test_suite.py", "tests/stores/test_ranges.py")


def main() -> int:
    with tempfile.TemporaryDirectory() as temporary:
        packages, data = Path(temporary, "packages"), Path(temporary, "data")
        install(packages)
        write(data)
        # A name of bytes that are no text is one in the suite, and none of JavaScript's.
        chosen = ["-q", "-k", "not odd_key_is_held_or_refused"]
        command = ["node", HERE / "run.mjs", packages, PROJECT, data, *chosen, *TESTS]
        return subprocess.run(command, check=False).returncode


def install(packages: Path) -> None:
    """Pyodide beside this script, and what zom and its tests need into a folder."""
    npm = [
        "npm",
        "install",
        "--prefix",
        HERE,
        "--no-audit",
        "--no-fund",
        "--no-package-lock",
        "--loglevel=error",
    ]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", packages, "--only-binary", ":all:"]
    platform = ["--python-version", PYTHON, "--platform", PLATFORM, "--platform", "any"]
    for command in (npm, [*pip, *platform, *NEEDED]):
        subprocess.run(command, check=True)


def write(folder: Path) -> None:
    """Hierarchies of each format, in each kind of file."""
    folder.mkdir()
    for form in (v2, v3):
        array = form.ArraySpec.build(shape=(100,), dtype="int64", chunks=(10,), compress="gzip")
        spec = form.GroupSpec(members={"a": form.GroupSpec(members={"x": array})})
        for end in (".zarr", ".zarr.zip", ".sqlite"):
            with zom.materialize(spec, folder / f"{form.__name__}{end}") as group:
                group["a/x"][...] = np.arange(100)


if __name__ == "__main__":
    sys.exit(main())
