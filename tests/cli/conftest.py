"""The command, called in an empty directory."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from zom import v3
from zom.cli.main import main


@pytest.fixture
def call(capsys, monkeypatch, tmp_path):
    """Calls the command in an empty directory: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def process(tmp_path):
    """Runs `python -m zom` in the same directory."""

    def run(*arguments, **options):
        command = [sys.executable, "-m", "zom", *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, **options)

    return run


@pytest.fixture
def small():
    """A group with two arrays."""
    time = v3.ArraySpec.build(shape=(48,), dtype="int64", dimension_names=("time",))
    t2m = v3.ArraySpec.build(
        shape=(48, 181, 360), dtype="float32", chunks=(24, 91, 180), dimension_names=("time", "lat", "lon")
    )
    return v3.GroupSpec(attributes={"title": "a small climate"}, members={"t2m": t2m, "time": time})


@pytest.fixture
def document(tmp_path, small):
    """`small` as the document a.json."""
    (tmp_path / "a.json").write_text(small.to_json(), encoding="utf-8")
    return "a.json"


@pytest.fixture
def nobody(tmp_path):
    """A block in which this process has no more rights than the modes of files give."""
    if not hasattr(os, "geteuid"):
        pytest.skip("files have no modes on this system")
    for directory in (tmp_path, *tmp_path.parents):
        if directory.owner() == tmp_path.owner() and directory != directory.parent:
            directory.chmod(directory.stat().st_mode | 0o011)

    @contextmanager
    def without_rights():
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            yield
        finally:
            if is_root:
                os.seteuid(0)

    return without_rights
