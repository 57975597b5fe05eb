"""Every example runs, and the typed ones mean to mypy what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def name_of(path):
    return path.name


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


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_the_programs_of_users_are_typed(checker, tmp_path):
    pytest.importorskip(checker, reason="pip install -e '.[lint]'")
    how = {
        "mypy": ["--strict", "--cache-dir", str(tmp_path)],
        "pyright": ["--pythonpath", sys.executable],
    }
    files = [str(Path("examples", name)) for name in USERS]
    command = [sys.executable, "-m", checker, *how[checker], *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """What mypy says of a file: its exit code, and the line of each error."""
    pytest.importorskip("mypy", reason="pip install -e '.[test]'")
    cache = tmp_path_factory.mktemp("mypy")

    def run(file):
        command = [
            *(sys.executable, "-m", "mypy", "--strict", "--hide-error-context", "--no-error-summary"),
            *("--cache-dir", str(cache), str(file)),
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        lines = [int(line) for line in re.findall(rf"{file.name}:(\d+): error:", done.stdout)]
        return done.returncode, lines, done.stdout

    return run


@pytest.mark.slow
def test_mypy_accepts_the_valid_example_of_zep_6(mypy):
    code, _, text = mypy(ROOT / "examples" / "zep6_valid.py")
    assert code == 0, text


@pytest.mark.slow
def test_mypy_rejects_the_invalid_example_of_zep_6_at_its_attributes(mypy):
    file = ROOT / "examples" / "zep6_invalid.py"
    code, lines, text = mypy(file)
    wrong = [n for n, line in enumerate(file.read_text().splitlines(), 1) if 'attributes={"foo"' in line]
    assert (code, lines) == (1, wrong), text


def test_zom_rejects_the_invalid_example_of_zep_6(tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "zep6_invalid.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "_ARRAY_DIMENSIONS" in done.stdout
