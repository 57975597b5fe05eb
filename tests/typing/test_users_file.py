"""Type checkers know what users hold: no Any where a spec or a handle comes back."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("users_file.py")
SOURCE = Path(__file__).parents[2] / "src"

pytestmark = pytest.mark.slow


def test_mypy_accepts_a_users_file(tmp_path: Path) -> None:
    options = ["--strict", "--follow-imports=silent", "--no-warn-redundant-casts", f"--cache-dir={tmp_path}"]
    command = [sys.executable, "-m", "mypy", *options, str(FILE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=SOURCE)
    assert done.returncode == 0, done.stdout


def test_pyright_accepts_a_users_file(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("pyright")
    found = str(program) if program.exists() else shutil.which("pyright")
    if found is None:
        pytest.skip("pip install 'zom[lint]'")
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(SOURCE)], "include": [FILE.name]}
    (tmp_path / FILE.name).write_text(FILE.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [found, "--project", str(tmp_path), "--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
