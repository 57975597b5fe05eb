"""Every example runs; type checkers read them in tests/typing/check.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def name_of(path):
    return path.name


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_an_example_runs(example, tmp_path):
    command = [sys.executable, "-W", "error", str(example)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


USERS = [
    *("climate.py", "dask_user.py", "from_pydantic_zarr.py", "from_zarr_python.py"),
    *("library_author.py", "microscopy.py", "s3_in_ci.py"),
]
"""One program for each kind of user."""


@pytest.mark.parametrize("name", USERS)
def test_the_program_of_a_user_is_short(name):
    assert 20 <= len((ROOT / "examples" / name).read_text(encoding="utf-8").splitlines()) <= 60


def test_zom_rejects_the_invalid_example_of_zep_6(tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "zep6_invalid.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "_ARRAY_DIMENSIONS" in done.stdout
