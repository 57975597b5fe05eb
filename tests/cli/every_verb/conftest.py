"""Calls of every verb, and what they are called with."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import zom

sys.path.append(str(Path(__file__).parent))  # verb_calls stands beside the tests


@pytest.fixture
def places(tmp_path, monkeypatch, small, document):
    """The store a.zarr with some values, and the document a.json, in the directory of the test."""
    monkeypatch.chdir(tmp_path)
    root = zom.materialize(small, "a.zarr")
    root["time"][:24] = 1
    return tmp_path


@pytest.fixture
def twins(places, monkeypatch):
    """Goes to a directory that is a copy of `places`, another one each time."""
    copies = []

    def go():
        copies.append(places.parent / f"{places.name}-{len(copies)}")
        shutil.copytree(places, copies[-1])
        monkeypatch.chdir(copies[-1])

    return go


class Terminal:
    """A stream of text that says it is a terminal, whatever it is written."""

    encoding = "utf-8"

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        """Nothing waits."""

    def isatty(self):
        return True


@pytest.fixture
def terminals(monkeypatch):
    """Terminals in the place of standard output and error."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)

    @contextmanager
    def put():
        made = Terminal(), Terminal()
        with redirect_stdout(made[0]), redirect_stderr(made[1]):
            yield made

    return put
